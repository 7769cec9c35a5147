import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import Logging

extension Administration {
    /// Opens the database of a command's arguments, runs a body on the app that they name, and closes the database.
    static func open<Value>(
        _ arguments: AppArguments, reachesLocal: Bool = false, audit: AuditLog? = nil,
        _ work: (Administration, AppID) async throws -> Value
    ) async throws -> Value {
        let name = try arguments.data.settings(also: ["app": arguments.app]).text("app")?.value
        return try await open(arguments.data, reachesLocal: reachesLocal, audit: audit) { administration in
            try await work(administration, administration.app(named: name))
        }
    }

    /// Opens the database of a command's arguments, runs a body on one of its apps, and closes the database.
    ///
    /// - Parameter name: the app's id; nil means the only app of the database.
    /// - Throws: ``SettingError`` if the app does not exist, or if no name is given and there is not exactly one app.
    static func open<Value>(
        _ data: DatabaseArguments, app name: String?, reachesLocal: Bool = false,
        _ work: (Administration, AppID) async throws -> Value
    ) async throws -> Value {
        try await open(data, reachesLocal: reachesLocal) { administration in
            try await work(administration, administration.app(named: name))
        }
    }

    /// The app with this name, or the only app if no name is given.
    private func app(named name: String?) async throws -> AppID {
        let known = try await apps().map(\.id.rawValue)
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

    /// Opens the database of a command's arguments, runs a body on it, and closes it.
    ///
    /// - Parameter audit: the log of changes, besides the audit log in the database; nil means lines on the standard error stream.
    static func open<Value>(
        _ arguments: DatabaseArguments, reachesLocal: Bool = false, audit: AuditLog? = nil,
        _ work: (Administration) async throws -> Value
    ) async throws -> Value {
        let place = try DataPlace(arguments.settings())
        let database = try await place.open()
        let logger = Logger.command
        do {
            let vault = try await place.masterKey(random: .live).vault(of: database, random: .live)
            // The time of the server on this database, which differs from the machine's if `gatehouse dev clock` has moved it.
            let administration = try await Administration(
                database: database, vault: vault,
                environment: .live(reachesLocal: reachesLocal, clock: DevClock.kept(in: database)),
                audit: audit ?? .logging(to: logger), operatorName: operatorName)
            let value = try await work(administration)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }

    /// The operator, as the system names the user.
    static var operatorName: String {
        let environment = ProcessInfo.processInfo.environment
        return environment["SUDO_USER"] ?? environment["USER"] ?? environment["LOGNAME"] ?? "operator"
    }
}
