import Crypto
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird
import Synchronization

/// The sessions that this process has checked a short while ago. If the database does not answer, their persons may still read the page
/// about the server's health, and nothing else.
final class KnownSessions: Sendable {
    private static let capacity = 200
    private static let seconds: Int64 = 600

    private struct Known {
        let session: OperatorSession
        let checkedAt: Moment
    }

    private let sessions = Mutex<[[UInt8]: Known]>([:])

    func note(_ session: OperatorSession, of token: OperatorToken, at moment: Moment) {
        let key = Self.key(token)
        sessions.withLock { sessions in
            if sessions.count >= Self.capacity, sessions[key] == nil {
                sessions = sessions.filter { moment < $0.value.checkedAt.adding(seconds: Self.seconds) }
                if sessions.count >= Self.capacity { sessions = [:] }
            }
            sessions[key] = Known(session: session, checkedAt: moment)
        }
    }

    func forget(_ token: OperatorToken) { sessions.withLock { $0[Self.key(token)] = nil } }

    /// Nil for a session that is over, or that was not checked for ten minutes: somebody may have ended it.
    func session(of token: OperatorToken, at moment: Moment) -> OperatorSession? {
        guard let known = sessions.withLock({ $0[Self.key(token)] }), moment < known.session.expiresAt,
            moment < known.checkedAt.adding(seconds: Self.seconds)
        else { return nil }
        return known.session
    }

    private static func key(_ token: OperatorToken) -> [UInt8] { Array(SHA256.hash(data: Data(token.text.utf8))) }
}

extension Console {
    static func isGone(_ error: any Error) -> Bool { DatabaseFailure(error)?.isOutage ?? false }

    /// The visit of the page about the server's health. Without the database it is that of a person whose session was checked a short
    /// while ago (UI-HEALTH-1).
    func healthVisit(
        _ request: Request, _ context: ConsoleContext
    ) async throws -> (visit: Visit, isGone: Bool) {
        do {
            return (try await visit(request, context), false)
        } catch  where Self.isGone(error) {
            let moment = now()
            guard let token = Self.token(of: request), let session = sessions.session(of: token, at: moment) else {
                throw error
            }
            _ = refusal(for: error, context)
            return (visit(request, context, token: token, session: session, at: moment), true)
        }
    }
}
