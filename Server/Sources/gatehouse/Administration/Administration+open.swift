import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import Logging

extension DatabaseArguments {
    /// Opens the database, runs a body on it as the operator at the terminal, and closes it.
    ///
    /// - Parameter audit: the log of changes, besides the audit log in the database; nil means lines on the standard error stream.
    func open<Value>(
        reachesLocal: Bool = false, audit: AuditLog? = nil, _ work: (Administration) async throws -> Value
    ) async throws -> Value {
        let place = try DataPlace(settings())
        return try await place.open().closing { database in
            let vault = try await place.masterKey(random: .live).vault(of: database, random: .live)
            // The time of the server on this database, which differs from the machine's if `gatehouse dev clock` has moved it.
            let administration = try await Administration(
                database: database, vault: vault,
                environment: .live(reachesLocal: reachesLocal, clock: DevClock.kept(in: database)),
                audit: audit ?? .logging(to: .command), operatorName: Administration.operatorName)
            return try await work(administration)
        }
    }

    /// Runs one action that concerns no app in particular.
    @discardableResult
    func run<A: ServerAction>(_ action: A) async throws -> A.Outcome {
        try await open { try await $0.run(action) }
    }
}

/// Arguments that say on which app a command works.
protocol AppNaming {
    var data: DatabaseArguments { get }
    /// The app's id; nil means the only app of the database.
    var appName: String? { get throws }
}

extension AppNaming {
    /// Opens the database, runs a body on the app, and closes the database.
    ///
    /// - Throws: ``SettingError`` if the app does not exist, or if no name is given and there is not exactly one app.
    func open<Value>(
        reachesLocal: Bool = false, audit: AuditLog? = nil, _ work: (Administration, AppID) async throws -> Value
    ) async throws -> Value {
        let name = try appName
        return try await data.open(reachesLocal: reachesLocal, audit: audit) { administration in
            try await work(administration, administration.app(named: name))
        }
    }

    /// Runs one action on the app.
    ///
    /// - Parameter reason: for actions on accounts: why, for other operators.
    @discardableResult
    func run<A: Action>(
        _ action: A, reason: String? = nil, reachesLocal: Bool = false
    ) async throws -> A.Outcome {
        try await open(reachesLocal: reachesLocal) { try await $0.run(action, in: $1, reason: reason) }
    }
}

extension Administration {
    /// The operator, as the system names the user.
    static var operatorName: String {
        let environment = ProcessInfo.processInfo.environment
        return environment["SUDO_USER"] ?? environment["USER"] ?? environment["LOGNAME"] ?? "operator"
    }

    /// The app with this name, or the only app if no name is given.
    func app(named name: String?) async throws -> AppID {
        let known = try await run(ListApps()).map(\.id.rawValue)
        let list =
            known.isEmpty
            ? "There is none: `gatehouse app create` makes one." : "There are: \(known.joined(separator: ", "))."
        if let name {
            guard known.contains(name) else { throw SettingError("There is no app \(name) in this database. \(list)") }
            return AppID(name)
        }
        guard known.count == 1 else { throw SettingError("Say which app, with --app. \(list)") }
        return AppID(known[0])
    }
}
