import GatehouseStorage

/// An action that only reads, for an operator or a game server: one function on a connection for reports (``Database/report(_:)``). Unless
/// it says otherwise, operators of every role have it.
protocol Report: Action {
    // It is told again, so that the type of what is read is inferred.
    associatedtype Outcome

    func read(_ view: Viewpoint, in tx: Reader) throws -> Outcome
}

extension Report {
    package static var permission: Permission { .administer }
    package static var role: OperatorRole { .viewer }

    package func perform(_ work: Work) async throws -> Outcome {
        let view = work.view
        return try await work.report { tx in try read(view, in: tx) }
    }
}
