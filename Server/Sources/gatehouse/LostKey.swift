import ArgumentParser
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire

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
