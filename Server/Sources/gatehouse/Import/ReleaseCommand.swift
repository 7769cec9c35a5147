import ArgumentParser
import GatehouseCore
import GatehouseWire

/// For support: a player has a new device, and nothing that shows it but the support's own check.
struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let another device claim a player of another system once more.",
        discussion: "The device that has claimed the player loses it then.")

    @OptionGroup var app: AppArguments
    @Argument(help: "The source's name.") var source: String
    @Argument(help: "The player's id in that system.") var legacyID: String
    @Option(help: "Why, for other operators.") var reason: String?

    func run() async throws {
        let user = try await app.run(ReleaseLegacyMember(source: source, legacyID: legacyID), reason: reason)
        guard let user else { return app.output.done("no device has claimed \(legacyID)") }
        app.output.done("\(user) may be claimed once more")
    }
}
