import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire

extension DatabaseArguments {
    /// Opens the database, runs a body on it as the operator at the terminal, and closes it.
    ///
    /// - Parameter audit: the log of changes, besides the audit log in the database.
    func open<Value>(
        reachesLocal: Bool = false, audit: AuditLog = .inDatabaseAlone,
        _ work: (Administration) async throws -> Value
    ) async throws -> Value {
        let settings = try settings()
        let place = try DataPlace(settings)
        let providerSeconds = try settings.providerSeconds
        do {
            return try await place.open().closing { database in
                let vault = try await place.masterKey(random: .live).vault(of: database, random: .live)
                // The time of the server on this database, which differs from the machine's if `gatehouse dev clock` has moved it.
                let administration = try await Administration(
                    database: database, vault: vault,
                    environment: .live(
                        reachesLocal: reachesLocal, clock: DevClock.kept(in: database),
                        providerSeconds: Int64(providerSeconds)), audit: audit,
                    operatorName: Administration.operatorName)
                return try await work(administration)
            }
        } catch {
            // A wrong database is the most likely reason why something is not there.
            if !(error is ExitCode), !(error is ValidationError) {
                Terminal.complain("database  \(place.location) (\(place.sourceDescription))")
            }
            throw error
        }
    }
}

/// The database of a command, and how the command gives its result.
struct DataArguments: ParsableArguments {
    @OptionGroup var database: DatabaseArguments
    @OptionGroup var output: OutputArguments

    /// - Parameter others: the flags of only this command.
    func settings(also others: [String: String?] = [:]) throws -> Settings { try database.settings(also: others) }

    /// Opens the database, runs a body on it as the operator at the terminal, and closes it.
    ///
    /// - Parameter audit: the log of changes; nil means that the command has no other result than their records.
    func open<Value>(
        reachesLocal: Bool = false, audit: AuditLog? = nil, _ work: (Administration) async throws -> Value
    ) async throws -> Value {
        try await database.open(reachesLocal: reachesLocal, audit: audit ?? output.records, work)
    }

    /// Runs one action on the server as a whole.
    @discardableResult
    func run<A: UseCase>(_ action: A, audit: AuditLog? = nil) async throws -> A.Outcome {
        try await open(audit: audit) { try await $0.run(action) }
    }

    @discardableResult
    func run<A: ServerAction>(_ action: A, audit: AuditLog? = nil) async throws -> A.Outcome {
        try await open(audit: audit) { try await $0.run(action) }
    }
}

/// Arguments that say on which app a command works.
protocol AppNaming {
    var data: DataArguments { get }
    /// The app's id; nil means the only app of the database.
    var appName: String? { get throws }
}

extension AppNaming {
    var output: OutputArguments { data.output }

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
    /// - Parameters:
    ///   - reason: for actions on accounts: why, for other operators.
    ///   - audit: the log of changes; nil means that the command has no other result than their records.
    @discardableResult
    func run<A: UseCase>(
        _ action: A, reason: String? = nil, reachesLocal: Bool = false, audit: AuditLog? = nil
    ) async throws -> A.Outcome {
        try await open(reachesLocal: reachesLocal, audit: audit) { try await $0.run(action, in: $1, reason: reason) }
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

/// The app of a command.
struct AppArguments: ParsableArguments, AppNaming {
    @OptionGroup var data: DataArguments
    @Option(help: "The app's id; also GATEHOUSE_APP. Default: the only one of the database")
    var app: String?

    var appName: String? { get throws { try data.settings(also: ["app": app]).text("app")?.value } }
}

/// The app of a command that is about an app itself.
struct NamedApp: ParsableArguments, AppNaming {
    @OptionGroup var data: DataArguments
    @Argument(help: "The app's id.") var id: String

    var appName: String? { id }
}

/// The member of a command, and its app.
struct MemberArguments: ParsableArguments, AppNaming {
    @OptionGroup var app: AppArguments
    @Argument(help: "The user id.") var user: String

    var data: DataArguments { app.data }
    var appName: String? { get throws { try app.appName } }
    var id: UserID { UserID(user) }
}

/// Parses and formats what people type.
enum Words {
    /// A time such as 2026-12-01T03:00:00+09:00.
    static func date(_ text: String) throws -> Moment {
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("\(text) is not a time such as 2026-12-01T03:00:00+09:00.")
        }
        return Moment(milliseconds: Int64(date.timeIntervalSince1970 * 1_000))
    }

    /// LANGUAGE=TEXT, one for each language.
    static func texts(_ pairs: [String]) throws -> [String: String] {
        var texts: [String: String] = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("\(pair) is not LANGUAGE=TEXT, such as en=\"Back at 9.\"")
            }
            guard try texts.updateValue(String(parts[1]), forKey: language(String(parts[0]))) == nil else {
                throw ValidationError("There are two texts for \(parts[0]).")
            }
        }
        return texts
    }

    /// The name under which a language's text is kept.
    static func language(_ name: String) throws -> String {
        guard let language = LocalizedText.language(name) else {
            throw ValidationError("\(name) is no language. Type its tag, such as en, ko or zh-Hant.")
        }
        return language
    }

    static func time(_ milliseconds: Int64?) -> String {
        guard let milliseconds else { return "-" }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }
}
