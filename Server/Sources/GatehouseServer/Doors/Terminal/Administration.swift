package import GatehouseCore
package import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// The door of the command line: it runs actions as the operator at the terminal, on a database that a server may be using at the same
/// time. It has no rule of its own.
package struct Administration: Sendable {
    private let actions: Actions
    /// The operator's name, for the ledger and the histories.
    package let operatorName: String

    /// - Parameter passwordCost: of the transfer passwords that an operator issues. Tests choose a low one, because a hash of the
    ///   standard cost takes a second in a debug build.
    package init(
        database: Database, vault: KeyVault, environment: ServerEnvironment, audit: AuditLog,
        operatorName: String = "operator", passwordCost: PasswordHash.Cost = .standard
    ) async throws {
        self.operatorName = operatorName
        actions = Actions(
            services: Services(
                database: database, vault: vault, environment: environment, passwordCost: passwordCost,
                reporter: EventReporter(audit: audit)))
        try await actions.services.checkVault()
    }

    /// The server's time.
    package var now: Moment { actions.services.environment.now() }

    /// Reads an operator's action, as its form would be filled in.
    ///
    /// - Parameter read: makes the action for who looks at it, where, and when.
    package func action<A: OperatorAction>(in app: AppID, _ read: (OperatorContext) throws -> A) async throws -> A {
        let context = try await actions.context(of: app, at: now)
        return try read(OperatorContext(call: context, actor: .operator(operatorName), services: actions.services))
    }

    /// Runs an action on an app, as the database has the app now.
    ///
    /// - Parameter reason: for actions on accounts: why, for other operators.
    @discardableResult
    package func run<A: UseCase>(_ action: A, in app: AppID, reason: String? = nil) async throws -> A.Outcome {
        let outcome = try await actions.run(
            action, by: .operator(operatorName, reason: reason), in: actions.context(of: app, at: now))
        await count()
        return outcome
    }

    /// Runs an action on the server as a whole.
    @discardableResult
    package func run<A: UseCase>(_ action: A, reason: String? = nil) async throws -> A.Outcome {
        let outcome = try await actions.run(
            action, by: .operator(operatorName, reason: reason), in: .ofServer(moment: now))
        await count()
        return outcome
    }

    @discardableResult
    package func run<A: ServerAction>(_ action: A, reason: String? = nil) async throws -> A.Outcome {
        let outcome = try await actions.run(action, by: .operator(operatorName, reason: reason), at: now)
        await count()
        return outcome
    }

    /// The command ends before a service could do it. What it was asked for is done, whether or not it is counted.
    private func count() async {
        try? await actions.services.writeCounts()
    }
}
