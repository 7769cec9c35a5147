import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage

struct RekeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey", abstract: "Change the master key. Servers go on, and the old key opens nothing any more.",
        discussion: """
            Makes a new key and replaces the key file with it. Where the key is in GATEHOUSE_MASTER_KEY, the new one is read \
            from GATEHOUSE_NEW_MASTER_KEY: 32 bytes in base64, such as `openssl rand -base64 32` prints. A change that was \
            stopped in the middle is finished by the next start, or by running this again. docs/backup.md says when to do \
            this, and what it does not undo.

            With --lost, for a key that nobody has any more: says what the database loses with it, asks, and makes new keys. \
            Stop every server first. Members and their sessions stay.
            """)

    @OptionGroup var data: DataArguments
    @Flag(help: "The master key is lost: give up what it has sealed.") var lost = false
    @Flag(help: "With --lost: don't ask.") var yes = false

    func run() async throws {
        guard !lost else { return try await LostKey(data: data, isSure: yes).giveUp() }
        guard !yes else { throw ValidationError("--yes goes with --lost.") }
        let newKey = try DataPlace.newMasterKey()
        switch (try DataPlace.givenMasterKey(), newKey) {
        case (.some, nil):
            throw SettingError(
                "The environment variable GATEHOUSE_NEW_MASTER_KEY is missing: the key in GATEHOUSE_MASTER_KEY can't be replaced by this program."
            )
        case (nil, .some):
            throw SettingError(
                "GATEHOUSE_NEW_MASTER_KEY goes with GATEHOUSE_MASTER_KEY: a key file is replaced with a new random key."
            )
        default: break
        }
        let place = try DataPlace(data.settings())
        try await place.open().closing { try await rekey($0, of: place, to: newKey) }
    }

    private func rekey(_ database: Database, of place: DataPlace, to newKey: [UInt8]?) async throws {
        let masterKey = try place.masterKey(random: .live)
        try await masterKey.rekey(database, to: newKey, random: .live, audit: .inDatabaseAlone)
        // If the keys come from the environment, the new one opens the database from here on.
        let present = newKey.map { MasterKeySource.given($0) } ?? masterKey
        try await Administration(
            database: database, vault: present.vault(of: database, random: .live), environment: .live,
            audit: .inDatabaseAlone, operatorName: Administration.operatorName
        ).run(RecordServerEvent(event: "master-key.changed"))
        switch masterKey {
        case .given:
            try data.output.result(
                [Fact("masterKey", .text("GATEHOUSE_NEW_MASTER_KEY"))],
                "The master key is changed: set GATEHOUSE_MASTER_KEY to the new one before the next start.")
        case .file(let file):
            try data.output.result(
                [Fact("masterKey", .text(file.path))], "The master key is changed: \(file.path) holds the new one.")
        }
    }
}
