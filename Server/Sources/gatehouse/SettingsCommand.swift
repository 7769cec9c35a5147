import ArgumentParser
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
        try output.list(["setting", "value", "source"], Self.rows(settings).map { $0.map { Shown.text($0) } })
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
            if setting.name == "key-file", let place { value = place.keyPath }
            rows.append([setting.name, value, found?.source.description ?? "the default"])
        }
        let key = MasterKeyVariable.present
        rows.append([key, MasterKeyVariable.isSet ? "set" : "not set", SettingSource.environment(key).description])
        return rows
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
