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
