public import GatehouseCore
public import GatehouseSecurity
public import GatehouseServerWire
public import GatehouseStorage
public import GatehouseWire

/// The door of the command line: it runs actions as an operator, on a database that a server may be using at the same time. It has no
/// rule of its own.
public struct Administration: Sendable {
    let actions: Actions
    let environment: ServerEnvironment
    /// The operator's name, for the ledger and the histories.
    let operatorName: String

    public init(
        database: Database, vault: KeyVault, environment: ServerEnvironment, audit: AuditLog,
        operatorName: String = "operator"
    ) async throws {
        try await self.init(
            database: database, vault: vault, environment: environment, audit: audit, operatorName: operatorName,
            passwordCost: .standard)
    }

    /// - Parameter passwordCost: of the transfer passwords that an operator issues. Tests choose a low one, because a hash of the
    ///   standard cost takes a second in a debug build.
    package init(
        database: Database, vault: KeyVault, environment: ServerEnvironment, audit: AuditLog,
        operatorName: String = "operator", passwordCost: PasswordHash.Cost
    ) async throws {
        self.environment = environment
        self.operatorName = operatorName
        actions = Actions(
            services: Services(
                database: database, vault: vault, environment: environment, passwordCost: passwordCost,
                reporter: EventReporter(audit: audit)))
        try await actions.services.checkVault()
    }

    /// The server's time.
    public var now: Moment { environment.now() }

    /// Runs an action on an app.
    ///
    /// - Parameter reason: for actions on accounts: why, for other operators.
    func run<A: Action>(_ action: A, on app: AppID, reason: String? = nil) async throws -> A.Outcome {
        let outcome = try await actions.run(
            action, by: .operator(operatorName, reason: reason), in: actions.context(of: app, at: environment.now()))
        // The command ends before a service could do it. What it was asked for is done, whether or not it is counted.
        try? await actions.services.writeCounts()
        return outcome
    }

    /// Runs an action that concerns no app in particular.
    func run<A: ServerAction>(_ action: A) async throws -> A.Outcome {
        try await actions.run(action, by: .operator(operatorName), at: environment.now())
    }
}

// MARK: Apps

extension Administration {
    public func createApp(_ id: AppID, name: String) async throws -> SecretKey {
        try await run(CreateApp(id: id, name: name))
    }

    public func apps() async throws -> [(id: AppID, status: LaunchingStatus, name: String)] {
        try await run(ListApps())
    }

    public func hasApp(_ id: AppID) async throws -> Bool {
        try await apps().contains { $0.id == id }
    }

    public func setStatus(_ status: LaunchingStatus, message: [String: String], of id: AppID) async throws {
        try await run(SetStatus(status: status, message: message), on: id)
    }

    /// Adds a rule by client, and returns its id.
    ///
    /// - Parameter position: its place among the rules, from 1; nil for the last.
    package func addClientRule(_ rule: ClientRule, at position: Int? = nil, to id: AppID) async throws -> String {
        try await run(AddClientRule(rule, at: position), on: id)
    }

    package func clientRules(of id: AppID) async throws -> [ClientRule] { try await run(ReadApp(), on: id).clientRules }

    package func removeClientRule(_ rule: String, of id: AppID) async throws {
        try await run(RemoveClientRule(id: rule), on: id)
    }

    /// Sets the maintenance window, or removes it when `end` is nil. Without a `begin` it begins now.
    ///
    /// - Parameter reason: the reason as one word, for game servers; players read the message.
    public func setMaintenance(
        begin: Moment?, end: Moment?, message: [String: String], url: String?, reason: String? = nil, of id: AppID
    ) async throws {
        try await run(SetMaintenance(begin: begin, end: end, message: message, url: url, reason: reason), on: id)
    }

    /// Changes an app's limits, and returns the new ones.
    public func setLimits(
        of id: AppID, _ body: @escaping @Sendable (inout AppLimits) -> Void
    ) async throws -> AppLimits {
        try await run(ChangeLimits(change: body), on: id)
    }

    /// Sets the given limits; 0 means no limit.
    public func setLimits(newGuests: Int?, refusedProofs: Int?, of id: AppID) async throws -> AppLimits {
        try await setLimits(of: id) { limits in
            limits.newGuestsPerMinute = newGuests ?? limits.newGuestsPerMinute
            limits.refusedProofsPerMinute = refusedProofs ?? limits.refusedProofsPerMinute
        }
    }

    public func addTestDevice(_ key: KeyThumbprint, note: String, to id: AppID) async throws {
        try await run(AddTestDevice(key: key, note: note), on: id)
    }

    public func removeTestDevice(_ key: KeyThumbprint, from id: AppID) async throws {
        try await run(RemoveTestDevice(key: key), on: id)
    }

    public func testDevices(of id: AppID) async throws -> [(key: KeyThumbprint, note: String)] {
        try await run(ListTestDevices(), on: id).map { ($0.key, $0.note) }
    }

    public func accountPolicy(of id: AppID) async throws -> AccountPolicy {
        try await run(ReadApp(), on: id).policy
    }

    /// Changes the policy of an app's accounts, and returns the new policy.
    public func setAccountPolicy(
        of id: AppID, _ body: @escaping @Sendable (inout AccountPolicy) throws -> Void
    ) async throws -> AccountPolicy {
        try await run(ChangeAccountPolicy(change: body), on: id)
    }
}

// MARK: The whole server

extension Administration {
    public func jobs(in state: JobRecord.State?, limit: Int = 100) async throws -> [JobRecord] {
        try await run(ListJobs(state: state, limit: limit))
    }

    /// Records in the audit log what an operator has done to the whole server.
    public func keepRecord(_ event: String) async throws {
        try await run(RecordServerEvent(event: event))
    }
}
