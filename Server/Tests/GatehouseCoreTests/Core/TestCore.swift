import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The actions of a server on a fresh database, without the server: with a clock that a test moves, and with a log of what the
/// actions have told.
struct TestCore: Sendable {
    static let app = AppID("game")
    static let masterKey = [UInt8](repeating: 7, count: 32)

    let database: Database
    let clock: Clock
    let callLog: CallLog
    let services: Services

    var actions: Actions { Actions(services: services) }

    /// Runs a test with an app that has two identity providers and transfer accounts.
    static func open(
        _ engine: Engine = .sqlite, _ test: @Sendable (TestCore) async throws -> Void
    ) async throws {
        try await withDatabase(engine, beginning) { database, _, _ in
            try await test(try TestCore(database, clock: Clock(), callLog: CallLog()))
        }
    }

    /// Runs a test with two processes on one database, each with connections of its own, at the same time of day.
    static func openTwice(
        _ engine: Engine, _ test: @Sendable (_ first: TestCore, _ second: TestCore) async throws -> Void
    ) async throws {
        try await withDatabase(engine, beginning) { database, location, _ in
            let core = try TestCore(database, clock: Clock(), callLog: CallLog())
            try await withOpen(location) { other in
                try await test(core, try TestCore(other, clock: core.clock, callLog: CallLog()))
            }
        }
    }

    private init(
        _ database: Database, clock: Clock, callLog: CallLog, vault: KeyVault? = nil,
        fetch: @escaping @Sendable (OutgoingRequest) async throws -> OutgoingResponse = FakePeople.answer
    ) throws {
        self.database = database
        self.clock = clock
        self.callLog = callLog
        // Cheap hashes are less secure, which doesn't matter here.
        services = Services(
            database: database, vault: try vault ?? KeyVault(masterKey: Self.masterKey),
            environment: ServerEnvironment(
                now: { clock.now }, monotonicNanoseconds: { UInt64(clock.now.milliseconds) * 1_000_000 }, random: .live,
                fetch: fetch),
            passwordCost: PasswordHash.Cost(exponent: 4, parallelism: 1), reporter: callLog.reporter)
    }

    /// Another process on the same database at the same time of day, with a log of its own.
    ///
    /// - Parameters:
    ///   - vault: of the master key that the process has; nil for the one that the first process has.
    ///   - fetch: how it reaches the providers.
    func restarted(
        _ vault: KeyVault? = nil,
        fetch: @escaping @Sendable (OutgoingRequest) async throws -> OutgoingResponse = FakePeople.answer
    ) throws -> TestCore {
        try TestCore(database, clock: clock, callLog: CallLog(), vault: vault, fetch: fetch)
    }

    private static let beginning = Fixture(migrations: Migration.all) { database in
        let core = try TestCore(database, clock: Clock(), callLog: CallLog())
        try await database.transact { [vault = core.services.vault] tx in try KeyRules.checkVault(vault, in: tx) }
        _ = try await core.actions.run(
            CreateApp(id: app, name: "Game"), by: .operator("operator"), in: .ofServer(moment: core.clock.now))
        for (provider, kind) in [(Provider.naver, ProviderKind.naver), (.twitter, .twitter)] {
            var configuration = ProviderConfiguration(kind: kind, clientIds: ["client"])
            configuration.acceptsUnboundTokens = true
            let secrets = ProviderSecrets(clientSecret: "secret")
            try await core.operator().run(
                SaveIdentityProvider(
                    provider: provider, configuration: configuration, secrets: .replaced(secrets), samePersons: false))
        }
        try await core.operator().run(SetTransferPolicy { $0.transfer = TransferPolicy() })
        // A test finds in the operators' audit what it has done itself.
        try await database.transact { tx in _ = try tx.execute("DELETE FROM operator_actions") }
    }

    // MARK: What a test looks at

    /// The context of a call at this moment, with the app as the database has it.
    func context(address: String = "192.0.2.1") async throws -> CallContext {
        CallContext(
            app: try await actions.context(of: Self.app, at: clock.now).app, moment: clock.now,
            keys: try await services.directory.entry(Self.app).keys, address: ClientAddress(address) ?? .unknown)
    }

    func ledger(of user: UserID) async throws -> [LedgerEntry] {
        try await database.read { tx in try LedgerQueries.entries(of: user, app: Self.app, in: tx) }
    }

    /// The names of the events in a member's ledger, oldest first.
    func history(of user: UserID) async throws -> [EventName] {
        try await ledger(of: user).map(\.event)
    }

    /// The records of the audit log about members and sessions, oldest first; those of the app's settings are left out.
    func records() async throws -> [AuditRecord] {
        try await database.read { tx in try AuditRules.records(after: "", limit: 1_000, in: tx) }
            .filter { $0.user != nil || $0.app == nil || $0.event == KickOutEveryone.about.name }
    }

    func member(_ user: UserID) async throws -> Member {
        try await `operator`().run(.memberReport(of: user)).member
    }

    /// The number that a statement counts.
    func count(_ statement: SQL) async throws -> Int {
        try await database.read { tx in try tx.first(statement) { row in try row[0] as Int } ?? -1 }
    }

    /// Makes the changes that are due, and deletes what is over, as every node does from time to time.
    @discardableResult
    func sweep() async throws -> Int { try await Sweeper(services: services).sweep() }

    /// Expects that no member or identity is in a state that must not be (invariants I2 to I4 and I8 of the security requirements).
    func expectInvariants() async throws {
        for violations in MemberInvariants.violations {
            #expect(try await count(violations) == 0, "\(violations)")
        }
    }

    func changeLimits(_ change: @escaping @Sendable (inout AppLimits) -> Void) async throws {
        _ = try await `operator`().run(SetLimits(change: change))
    }
}

/// The failure's code of a call; nil if the call succeeds.
func code<Value>(of call: () async throws -> Value) async -> ErrorCode? {
    await refusal(of: call)?.code
}

/// The refusal of a call; nil if the call succeeds.
func refusal<Value>(of call: () async throws -> Value) async -> Refusal? {
    do {
        _ = try await call()
        return nil
    } catch {
        return error as? Refusal ?? (error as? StorageError)?.refusal
    }
}

/// Does something many times at once.
///
/// - Returns: the results in the order of their numbers.
func together<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
        for number in 0..<count { group.addTask { (number, try await body(number)) } }
        return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
