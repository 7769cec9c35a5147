import GatehouseSecurity
import GatehouseStorage

/// A question of operators about an app, or about the server as a whole: one function that only reads. Each is a static member of
/// ``UseCase``, in the file of what it reads, named for its answer.
package struct Read<Outcome: Sendable>: UseCase {
    package let permission = Permission.administer
    package let roles: OperatorRoles
    /// Whether it takes a few rows by their keys. It waits for no report then.
    private let isQuick: Bool
    let read: @Sendable (OperatorContext, Reader) throws -> Outcome

    /// - Parameters:
    ///   - role: the least role in the app that it is about.
    ///   - serverRole: the least role on the server, where it can be asked of the server as a whole.
    ///   - isQuick: whether it takes a few rows by their keys. Everything else has a connection for reports
    ///     (``GatehouseStorage/Database/report(_:)``).
    init(
        as role: OperatorRole = .viewer, onServer serverRole: OperatorRole? = nil, isQuick: Bool = false,
        _ read: @escaping @Sendable (OperatorContext, Reader) throws -> Outcome
    ) {
        self.init(OperatorRoles(inApp: role, onServer: serverRole), isQuick: isQuick, read)
    }

    init(
        _ roles: OperatorRoles, isQuick: Bool = false,
        _ read: @escaping @Sendable (OperatorContext, Reader) throws -> Outcome
    ) {
        self.roles = roles
        self.isQuick = isQuick
        self.read = read
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let context = OperatorContext(of: work)
        return if isQuick {
            try await work.read { tx in try read(context, tx) }
        } else {
            try await work.report { tx in try read(context, tx) }
        }
    }
}
