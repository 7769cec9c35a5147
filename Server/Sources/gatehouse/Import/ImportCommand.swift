import ArgumentParser

/// Brings players of another system along.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring players of another system along.",
        subcommands: [
            LegacySourceCommand.self, ConvertPlayersCommand.self, ImportMembersCommand.self, ImportStatusCommand.self,
            ResumeImportCommand.self, VerifyImportCommand.self, UndoImportCommand.self, ForgetImportCommand.self,
            ReleaseCommand.self,
        ])
}
