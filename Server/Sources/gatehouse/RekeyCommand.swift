import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire

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

/// `gatehouse rekey --lost`: asks the operator for confirmation before deleting what a lost master key has encrypted.
struct LostKey {
    let data: DataArguments
    /// Skips the confirmation.
    let isSure: Bool

    func giveUp() async throws {
        let place = try DataPlace(data.settings())
        let (lost, masterKey) = try await place.open().closing { database in
            let masterKey = try place.masterKey(random: .live)
            Self.tell(try await masterKey.losses(of: database, random: .live), place.location)
            guard isSure || Terminal.ask("Give all this up? Answer yes or no: ") == "yes" else {
                Terminal.complain("Nothing is changed. Answer yes, or say --yes, to give this up.")
                throw ExitCode.failure
            }
            let lost = try await masterKey.giveUp(
                database, by: Administration.operatorName, at: ServerEnvironment.live.now(), random: .live,
                audit: .inDatabaseAlone)
            return (lost, masterKey)
        }
        Self.conclude(lost, masterKey)
        guard data.output.json else { return }
        try data.output.show([
            Fact("apps", .list(lost.apps.map(\.rawValue))),
            Fact("providers", .list(lost.providers.map { "\($0.app)/\($0.provider)" })),
            Fact("identityTokens", .count(lost.identityTokens)), Fact("jobs", .count(lost.jobs)),
            Fact("transferKeys", .count(lost.transferKeys)), Fact("outcomes", .count(lost.outcomes)),
            Fact("alertReceivers", .count(lost.alertReceivers)), Fact("pendingLogins", .count(lost.pendingLogins)),
            Fact("operators", .count(lost.operators)), Fact("legacySources", .count(lost.legacySources)),
        ])
    }

    private static func tell(_ lost: LostSecrets, _ location: DatabaseLocation) {
        Terminal.say("With the lost master key of \(location) these are gone for good:")
        Terminal.say(
            "  \(lost.apps.count) apps' signing keys: new ones sign at once, and devices get new access tokens by themselves"
        )
        Terminal.say("  \(lost.providers.count) identity providers' secrets, to be entered anew:")
        for name in lost.providers { Terminal.say("      gatehouse idp set \(name.provider) --app \(name.app) ...") }
        Terminal.say(
            "  \(lost.identityTokens) kept tokens of identity providers: they come anew with each player's next login")
        Terminal.say("  \(lost.jobs) waiting revocations at identity providers: they end as dead jobs")
        Terminal.say("  \(lost.transferKeys) transfer keys: players issue new ones")
        Terminal.say(
            "  \(lost.outcomes) outcomes of calls of the last hour: one that is repeated now is done as a new one")
        Terminal.say("  \(lost.alertReceivers) receivers of alerts, to be added anew")
        Terminal.say("  \(lost.pendingLogins) logins in browsers and conflicts of mappings: players begin anew")
        if lost.legacySources > 0 {
            Terminal.say(
                "  \(lost.legacySources) systems that players come from: they are closed, and what is imported stays")
        }
        Terminal.say(
            "These stay: members, mappings, sessions, bans, transfer accounts, histories, and game servers' secret keys."
        )
        Terminal.say("Every server must be stopped. Older copies of the database open with the lost key only.")
    }

    private static func conclude(_ lost: LostSecrets, _ masterKey: MasterKeySource) {
        switch masterKey {
        case .given: Terminal.say("Done: the key in GATEHOUSE_MASTER_KEY is the master key now.")
        case .file(let file):
            Terminal.say("Done: \(file.path) holds the new master key. Keep a copy of it apart from the database.")
        }
        if !lost.providers.isEmpty {
            Terminal.say(
                "Logins at these identity providers may fail until their secrets are entered anew with `gatehouse idp set`."
            )
        }
    }
}
