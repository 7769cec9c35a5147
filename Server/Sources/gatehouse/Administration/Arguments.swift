import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

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
