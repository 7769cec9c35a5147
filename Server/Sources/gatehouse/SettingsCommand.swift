import ArgumentParser
import GatehousePlatform
import GatehouseServer
import GatehouseStorage
import Logging

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Print each setting of a server, its value, and where it comes from.",
        discussion: """
            Takes the flags of `gatehouse serve`, and opens no database. A secret is only said to be set or not set. Ends with 1 if \
            a server would refuse one of the settings, or a certificate or key that they name.
            """)

    @OptionGroup var server: ServerArguments
    @OptionGroup var data: DatabaseArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let settings = try server.settings(data)
        Terminal.complain("configuration file  \(settings.filePath ?? "none")")
        for notice in settings.notices { Terminal.complain("\(notice)") }
        for variable in settings.unknownVariables {
            Terminal.complain("\(variable) is the name of no setting: it is not read")
        }
        let rows = Self.rows(settings).map { row in row.map { Shown.text($0 == "-" ? nil : $0) } }
        try output.list(["setting", "value", "source"], rows)
        try Self.check(settings)
    }

    /// A row for each setting: its name, its value and its source.
    static func rows(_ settings: Settings) -> [[String]] {
        let place = try? DataPlace(settings)
        var rows: [[String]] = []
        for setting in KnownSetting.all {
            let found = settings.text(setting.name)
            var value = found?.value ?? setting.standard ?? "-"
            if setting.isSecret { value = found == nil ? "not set" : "set" }
            // A URL may have a password in it, which the description leaves out.
            if setting.name == "database" { value = place?.location.description ?? "set" }
            if ["server", "public-url"].contains(setting.name) { value = withoutUser(value) }
            if setting.name == "key-file", let place { value = place.keyPath }
            var source = found?.source.description ?? "the default"
            if setting.name == "server", found == nil, let address = try? ServerAddress.named(by: settings) {
                (value, source) = (address.url, address.source)
            }
            rows.append([setting.name, value, source])
        }
        let key = MasterKeyVariable.present
        rows.append([key, MasterKeyVariable.isSet ? "set" : "not set", SettingSource.environment(key).description])
        return rows
    }

    /// URLs without their user part, which may have a password in it.
    private static func withoutUser(_ text: String) -> String {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return text }
        let rest = text[text.utf8.index(after: at)...]
        guard let mark = text.range(ofBytes: "://"), mark.upperBound <= at else { return String(rest) }
        return "\(text[..<mark.upperBound])\(rest)"
    }

    /// - Throws: what a server's start throws.
    static func check(_ settings: Settings) throws {
        _ = try settings.logger(label: "gatehouse", level: .info)
        _ = try settings.flag("create-database", default: true)
        _ = try settings.flag("allow-local-providers")
        try ServerConfiguration(settings).tls?.check()
        _ = try DataPlace.givenMasterKey()
        _ = try DataPlace(settings)
    }
}
