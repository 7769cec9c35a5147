import Foundation

/// Lets requests and connections of players in, and ends connections whose player is banned, kicked out or gone.
///
/// Failure policy: while Gatehouse can't be reached, players are accepted by the last list of revocations until that list is `maxListAge`
/// old. Then requests are refused as unavailable, and connections are closed with ``End/tryLater``. A shorter time means that a ban is never
/// missed for longer than that; a longer one means that players continue playing through a longer outage. An hour is the most that has a
/// meaning, because no access token lives longer.
///
/// Requests that ask Gatehouse are refused as unavailable after `askSeconds`, at most `mostAsks` of them wait at a time, and after three
/// failures in a row only one every five seconds tries again (a circuit breaker). So a Gatehouse that hangs holds up little.
public actor Players {
    /// Why a connection is closed, with the code for a WebSocket.
    public enum End: Int, Sendable {
        /// The token has expired: the game fetches a new one and connects again.
        case expired = 4401
        /// The player is banned, kicked out or gone: the game asks the SDK why.
        case revoked = 4403
        /// The list of revocations is too old.
        case tryLater = 1013
    }

    /// A connection that outlives its first token.
    public struct Connection: Sendable, Hashable { fileprivate let id = UUID() }

    private struct Watched {
        var player: TokenChecker.Claims
        let close: @Sendable (End) -> Void
    }

    private static let leewaySeconds: Int64 = 30
    private static let longestPause = Duration.seconds(30)

    private static let failuresThatOpenTheBreaker = 3
    private static let breakerPause = Duration.seconds(5)

    private let tokens: TokenChecker
    private let maxListAge: Duration
    private let log: @Sendable (String) -> Void
    private var connections: [Connection: Watched] = [:]
    private let askSeconds: Double
    private let mostAsks: Int
    private var asking = 0
    private var failures = 0
    private var retryFrom = ContinuousClock.now

    public init(
        _ tokens: TokenChecker, maxListAge: Duration = .seconds(3_600), askSeconds: Double = 2, mostAsks: Int = 8,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.askSeconds = askSeconds
        self.mostAsks = mostAsks
        self.tokens = tokens
        self.maxListAge = maxListAge
        self.log = log
    }

    /// Keeps the list of revocations fresh until the task is cancelled. Call it once in each process.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.refresh() }
            group.addTask {
                while (try? await Task.sleep(for: .seconds(1))) != nil { await self.sweep() }
            }
        }
    }

    /// The claims of the player whose request has this `Authorization` header. The token never stands in a URL, because URLs are logged.
    ///
    /// - Parameter asking: whether Gatehouse itself is asked, for what can't be undone: a purchase, a trade, a deletion.
    /// - Throws: ``TokenChecker/Refused``.
    public func player(_ authorization: String?, asking: Bool = false) async throws -> TokenChecker.Claims {
        guard let token = authorization?.split(separator: " ", maxSplits: 1), token.count == 2, token[0] == "Bearer"
        else {
            throw TokenChecker.Refused(description: "no token")
        }
        guard await !tokens.listIsOlder(than: maxListAge) else {
            throw TokenChecker.Refused(description: "no recent list of revocations", isUnavailable: true)
        }
        let claims = try await tokens.check(String(token[1]))
        if asking { try await ask(String(token[1])) }
        return claims
    }

    private func ask(_ token: String) async throws {
        guard asking < mostAsks else {
            throw TokenChecker.Refused(description: "too many requests wait for Gatehouse", isUnavailable: true)
        }
        if failures >= Self.failuresThatOpenTheBreaker {
            guard .now >= retryFrom else {
                throw TokenChecker.Refused(description: "Gatehouse has not answered lately", isUnavailable: true)
            }
            retryFrom = .now + Self.breakerPause
        }
        asking += 1
        defer { asking -= 1 }
        do {
            try await tokens.ask(token, seconds: askSeconds)
            failures = 0
        } catch {
            let isUnavailable = (error as? TokenChecker.Refused)?.isUnavailable ?? true
            failures = isUnavailable ? failures + 1 : 0
            retryFrom = .now + Self.breakerPause
            throw error
        }
    }

    /// Watches a connection. Calls `close` once when the player must go. Call ``end(_:)`` when the connection has gone.
    public func connect(_ player: TokenChecker.Claims, close: @escaping @Sendable (End) -> Void) -> Connection {
        let connection = Connection()
        connections[connection] = Watched(player: player, close: close)
        return connection
    }

    /// Takes a new token of the same player.
    public func renew(_ connection: Connection, _ authorization: String?) async throws {
        let player = try await player(authorization)
        guard connections[connection]?.player.sub == player.sub else {
            throw TokenChecker.Refused(description: "of another player")
        }
        connections[connection]?.player = player
    }

    public func end(_ connection: Connection) { connections[connection] = nil }

    private func refresh() async {
        var failures = 0
        var said: String?
        while !Task.isCancelled {
            var pause = Duration.seconds(1 << min(failures, 5))
            do {
                pause = .seconds(try await tokens.refresh())
                (failures, said) = (0, nil)
            } catch {
                let text = "\(error)"
                if text != said { log("Gatehouse can't be asked for revocations: \(text)") }
                (failures, said) = (failures + 1, text)
            }
            await sweep()
            try? await Task.sleep(for: min(pause, Self.longestPause))
        }
    }

    private func sweep() async {
        let isOld = await tokens.listIsOlder(than: maxListAge)
        for (connection, watched) in connections {
            let isRevoked = await tokens.isRevoked(watched.player)
            // The connection may have been renewed or ended meanwhile.
            guard let now = connections[connection], now.player.exp == watched.player.exp else { continue }
            let end: End
            if isRevoked {
                end = .revoked
            } else if now.player.exp <= Int64(Date().timeIntervalSince1970) - Self.leewaySeconds {
                end = .expired
            } else if isOld {
                end = .tryLater
            } else {
                continue
            }
            connections[connection] = nil
            now.close(end)
        }
    }
}
