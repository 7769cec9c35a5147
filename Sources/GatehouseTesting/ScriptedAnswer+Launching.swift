public import GatehouseWire

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
