import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases

@testable import GatehouseCore

/// The actions of a server on a fresh database, without the server: with a clock that a test moves, and with a journal of what the
/// actions have told.
struct Desk: Sendable {
    static let app = AppID("game")

    let database: Database
    let clock: Clock
    let journal: Journal
    let services: Services

    var actions: Actions { Actions(services: services) }

    /// Runs a test with an app that has two identity providers and transfer accounts.
    static func open(
        _ engine: Engine = .sqlite, _ test: @Sendable (Desk) async throws -> Void
    ) async throws {
        try await withDatabase(engine, beginning) { database, _, _ in
            try await test(try Desk(database, clock: Clock(), journal: Journal()))
        }
    }

    private init(_ database: Database, clock: Clock, journal: Journal) throws {
        self.database = database
        self.clock = clock
        self.journal = journal
        // Cheap hashes are less secure, which doesn't matter here.
        services = Services(
            database: database, vault: try KeyVault(masterKey: [UInt8](repeating: 7, count: 32)),
            environment: ServerEnvironment(
                now: { clock.now }, monotonicNanoseconds: { UInt64(clock.now.milliseconds) * 1_000_000 }, random: .live,
                fetch: FakePeople.answer),
            passwordCost: PasswordHash.Cost(exponent: 4, parallelism: 1), reporter: journal.reporter)
    }

    /// Another process on the same database at the same time of day, with a journal of its own.
    func restarted() throws -> Desk {
        try Desk(database, clock: clock, journal: Journal())
    }

    private static let beginning = Fixture(migrations: Migration.all) { database in
        let desk = try Desk(database, clock: Clock(), journal: Journal())
        try await database.transact { [vault = desk.services.vault] tx in try KeyRules.checkVault(vault, in: tx) }
        _ = try await desk.actions.run(
            CreateApp(id: app, name: "Game"), by: .operator("operator"), at: desk.clock.now)
        for (provider, kind) in [(Provider.naver, ProviderKind.naver), (.twitter, .twitter)] {
            var configuration = ProviderConfiguration(kind: kind, clientIds: ["client"])
            configuration.acceptsUnboundTokens = true
            let secrets = ProviderSecrets(clientSecret: "secret")
            try await desk.operator().run(
                SetIdentityProvider(
                    provider: provider, configuration: configuration, secrets: secrets, samePersons: false))
        }
        try await desk.operator().run(ChangeAccountPolicy { $0.transfer = TransferPolicy() })
    }

    // MARK: What a test looks at

    /// The context of a call at this moment, with the app as the database has it.
    func context(address: String = "192.0.2.1") async throws -> ActionContext {
        var context = try await actions.context(of: Self.app, at: clock.now)
        context = ActionContext(view: context.view, keys: try await services.directory.entry(Self.app).keys)
        context.address = ClientAddress(address) ?? .unknown
        return context
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
            .filter { !$0.event.hasPrefix("app.") }
    }

    func member(_ user: UserID) async throws -> Member {
        try await `operator`().run(ReadMemberReport(user: user)).member
    }

    func changeLimits(_ change: @escaping @Sendable (inout AppLimits) -> Void) async throws {
        _ = try await `operator`().run(ChangeLimits(change: change))
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
