import ArgumentParser
import GatehouseWire
import NIOCore
import NIOPosix

@main
struct GatehouseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "Player sign-in for games, open and self-hosted.",
        discussion: """
            What stays the same from call to call is a setting: the server and how it listens, the database, the app. A setting is \
            a flag, an environment variable (GATEHOUSE_ and the flag's name in capitals, with _ for -), or a line `name = value` in \
            the file that --config names; the flag wins, then the environment. What one call does, such as --until or --reason, \
            is a flag alone. Results are for people; --json prints them for programs.
            """,
        version: "gatehouse \(GatehouseVersion.current)",
        subcommands: [
            ServeCommand.self, DevCommand.self, AppCommand.self, IdentityProviderCommand.self, MemberCommand.self,
            BanCommand.self, DoCommand.self, JobsCommand.self, AuditCommand.self, OperatorCommand.self,
            ErasuresCommand.self, ImportCommand.self, ExportCommand.self,
            BackupCommand.self, RestoreCommand.self, CopyCommand.self, MigrateCommand.self, RekeyCommand.self,
            SettingsCommand.self, ConformanceCommand.self,
        ] + player)

    #if Player
    private static let player: [any ParsableCommand.Type] = [PlayCommand.self, RequestCommand.self]
    #else
    private static let player: [any ParsableCommand.Type] = []
    #endif

    static func main() async {
        // A server's tasks run on its event loops: a request switches threads only for the database, which saves a fifth of its cost.
        // On systems without this feature everything works in the same way.
        let words = CommandLine.arguments.dropFirst()
        if ["serve", "dev"].contains(words.first), words.dropFirst().first != "clock" {
            NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            // An error message may contain an untrusted value, so it is escaped for the terminal.
            guard exitCode(for: error) != .success else { exit(withError: error) }
            let message = fullMessage(for: error)
            if !message.isEmpty { Terminal.complain(.init(lines: message)) }
            exit(withError: exitCode(for: error))
        }
    }
}
