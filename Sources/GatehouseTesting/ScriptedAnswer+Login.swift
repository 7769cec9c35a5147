public import GatehouseWire

extension ScriptedAnswer {
    /// A login succeeds: with a provider, with the last provider, by a transfer, or as the other member of a ticket.
    ///
    /// - Parameter userID: the member. Nil is the member of the last answer, or of the ticket, or `UserID.scripted` at first.
    /// - Parameter provider: how the member has logged in. Nil is the provider that the game has asked for.
    /// - Parameter mappings: the member's identity providers. Nil adds the login's provider to those known so far.
    /// - Parameter gracePeriod: when the member will be deleted, from now on: its withdrawal is pending.
    /// - Parameter graceBan: a ban that the member can still avert.
    /// - Parameter change: changes anything else of the answer.
    public static func login(
        userID: UserID? = nil, provider: Provider? = nil, mappings: [Provider]? = nil,
        deletedIn gracePeriod: Duration? = nil, graceBan: GraceBan? = nil,
        _ change: @escaping @Sendable (inout Login) -> Void = { _ in }
    ) -> ScriptedAnswer {
        let endpoints: Set = [
            path(Endpoints.logIn), path(Endpoints.logInWithLastProvider), path(Endpoints.changeLogin),
            path(Endpoints.redeemTransferAccount), path(Endpoints.redeemTransferKey),
            path(Endpoints.migrate),
        ]
        return ScriptedAnswer("login", to: endpoints) { request, server in
            let ticket = body(TicketUse.self, of: request)
            let isLast = path(request) == path(Endpoints.logInWithLastProvider)
            server.provider =
                provider ?? body(Credential.self, of: request)?.provider ?? ticket?.provider
                ?? (isLast ? server.provider : .guest)
            var member = server.member(userID ?? ticket?.mappedUserId)
            let known = member.mappings.map(\.provider)
            let provider = server.provider
            server.map(mappings ?? (known.contains(provider) ? known : known + [provider]), to: &member)
            member.lastLoginDate = server.now
            if let gracePeriod { member.delete(at: server.now + gracePeriod.milliseconds) }
            if let graceBan {
                member.graceBan = graceBan
                member.status = .graceBanned
            }
            var login = Login(
                member: member, provider: provider, session: server.tokens(isNew: !isLast),
                standing: server.standing(of: member), serverDate: server.now)
            change(&login)
            server.member = login.member
            return .answer(try response(login))
        }
    }

    /// The server has the member as the answers before have left it.
    ///
    /// - Parameter change: changes the member, as another device or an operator can.
    public static func member(_ change: @escaping @Sendable (inout Member) -> Void = { _ in }) -> ScriptedAnswer {
        ScriptedAnswer("member", to: Endpoints.member) { server in server.change(change) }
    }

    /// A heartbeat is taken.
    ///
    /// - Parameter seconds: when the next one is due.
    /// - Parameter change: changes what the member may do now.
    public static func heartbeat(
        next seconds: Int = 120, _ change: @escaping @Sendable (inout Standing) -> Void = { _ in }
    ) -> ScriptedAnswer {
        ScriptedAnswer("heartbeat", to: Endpoints.heartbeat) { server in
            var standing = server.standing(of: server.member())
            change(&standing)
            return Heartbeat(standing: standing, nextHeartbeatSeconds: seconds, serverDate: server.now)
        }
    }

    /// The session gets a new access token, because the last one was about to expire.
    ///
    /// - Parameter change: changes anything else of the answer.
    public static func renewal(
        _ change: @escaping @Sendable (inout SessionRenewal) -> Void = { _ in }
    ) -> ScriptedAnswer {
        ScriptedAnswer("renewal", to: Endpoints.refreshSession) { server in
            var renewal = SessionRenewal(session: server.tokens(isNew: false), serverDate: server.now)
            change(&renewal)
            return renewal
        }
    }
}

extension UserID {
    /// The member that an answer is about unless it names another one.
    public static let scripted = UserID("1M8S4CTH3C9FX6Z1")
}

extension ScriptedAnswer {
    /// The game is in service.
    ///
    /// - Parameter providers: the identity providers that the app has configured.
    /// - Parameter message: what the player should read.
    /// - Parameter change: changes anything else of the answer.
    public static func launching(
        providers: [Provider] = [.guest, .apple, .gameCenter, .google], message: String? = nil,
        _ change: @escaping @Sendable (inout LaunchingInformation) -> Void = { _ in }
    ) -> ScriptedAnswer {
        launching("launching", .inService, message: message, providers: providers, change)
    }

    /// The game is under maintenance, now or later. While it lasts, the server refuses logins: see ``notPlayable()``.
    ///
    /// - Parameter message: what the player should read.
    /// - Parameter start: when it begins, from now on.
    /// - Parameter end: when it ends, from now on.
    /// - Parameter url: a page with more about it.
    /// - Parameter reason: the operator's reason as one word.
    public static func maintenance(
        message: String? = "The game is under maintenance.", from start: Duration = .zero,
        until end: Duration = .seconds(7_200), url: String? = nil, reason: String? = nil
    ) -> ScriptedAnswer {
        launching("maintenance", start > .zero ? .inService : .maintenance, message: message) { information in
            information.maintenance = Maintenance(
                beginDate: information.serverDate + start.milliseconds,
                endDate: information.serverDate + end.milliseconds, message: message, url: url, reason: reason)
        }
    }

    /// The game can be played, and there is an update.
    ///
    /// - Parameter url: where the player finds it.
    /// - Parameter message: what the player should read.
    public static func updateRecommended(
        url: String? = "https://store.example.com/game", message: String? = nil
    ) -> ScriptedAnswer {
        launching("updateRecommended", .recommendUpdate, message: message) { $0.updateURL = url }
    }

    /// The game can be played only after an update. Until then the server refuses logins: see ``notPlayable()``.
    ///
    /// - Parameter url: where the player finds it.
    /// - Parameter message: what the player should read.
    public static func updateRequired(
        url: String? = "https://store.example.com/game", message: String? = "Please update the game."
    ) -> ScriptedAnswer {
        launching("updateRequired", .requireUpdate, message: message) { $0.updateURL = url }
    }

    /// The game has been shut down. The server refuses logins: see ``notPlayable()``.
    ///
    /// - Parameter message: what the player should read.
    public static func terminated(message: String? = "The service has ended.") -> ScriptedAnswer {
        launching("terminated", .terminated, message: message)
    }

    private static func launching(
        _ name: String, _ status: LaunchingStatus, message: String?,
        providers: [Provider] = [.guest, .apple, .gameCenter, .google],
        _ change: @escaping @Sendable (inout LaunchingInformation) -> Void = { _ in }
    ) -> ScriptedAnswer {
        ScriptedAnswer(name, to: Endpoints.launching) { server in
            var information = LaunchingInformation(
                appId: server.app, status: status, isPlayable: status.isPlayable, message: message, maintenance: nil,
                providers: Dictionary(uniqueKeysWithValues: Set(providers).map { ($0, ProviderSettings()) }),
                language: "en", heartbeatSeconds: 120, serverDate: server.now)
            change(&information)
            server.launching = information
            return information
        }
    }
}
