import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Logs a device in as the player that it was in another system.
package struct MigratePlayer: PlayerChange {
    /// What identifies a device in some system. It counts only where an operator has said that it can't be guessed.
    private static let bareKinds: Set<LegacyCredential.Kind> = [.deviceID, .customID, .guestID]
    private static let longestID = 256

    let request: MigrationRequest

    package init(request: MigrationRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> Login {
        do {
            return try await migrate(work)
        } catch {
            work.countRefusedLogin(nil, error)
            throw error
        }
    }

    private func migrate(_ work: Work) async throws -> Login {
        let device = try work.device()
        // The credential of a repeated call may have ended since.
        if let outcome = try await work.answerAgain(Self.repeated(on: device)) { return try login(outcome, work) }
        let app = work.app.id
        let source = try await work.read { [moment = work.moment] tx in
            try LegacySourceRules.open(request.source, app: app, at: moment, in: tx)
        }
        guard source.settings.confirmation == .client else {
            throw Refusal(
                .authIDPLoginFailed, "The game's own server brings the players of this system.",
                reason: .legacyServerRequired)
        }
        let claim = LegacyClaim(
            source: source.name, proof: try await proof(of: source, work),
            replacesGuest: request.replaceGuest ?? false)
        let outcome = try await work.reserving(.newGuests) {
            guard let person = claim.person else { return true }
            return try await work.read { tx in
                try LegacyQueries.member(person.legacyID, source: source.name, app: app, in: tx) != nil
            }
        } _: {
            let outcome = try await self.outcome(of: claim, on: device, work)
            return (outcome, outcome.login.isNewMember && !outcome.login.isRepeated)
        }
        return try login(outcome, work)
    }

    private func outcome(of claim: LegacyClaim, on device: LoginDevice, _ work: Work) async throws -> LegacyOutcome {
        let address = work.context.address
        return try await work.transact(once: Self.repeated(on: device)) { change, tx in
            let outcome = try LegacyRules.exchange(claim, on: device, change, in: tx)
            if claim.isBare { try LegacyAttempts.takeBack(by: device.key, from: address, change, in: tx) }
            return outcome
        }
    }

    private static func repeated<Verb: Draft>(on device: LoginDevice) -> Once<LegacyOutcome, Verb> {
        .answered { known, tx in
            var known = known
            known.login = try LoginRules.repeated(known.login, code: .authIDPLoginFailed, on: device, in: tx)
            return known
        }
    }

    private func login(_ outcome: LegacyOutcome, _ work: Work) throws -> Login {
        var login = try work.login(outcome.login)
        login.migrated = outcome.migrated
        return login
    }

    // MARK: What the device shows

    private func proof(of source: LegacySource, _ work: Work) async throws -> LegacyClaim.Proof {
        let credential = request.credential
        guard Self.bareKinds.contains(credential.kind) else {
            return .person(try await person(of: credential, source, work))
        }
        guard source.settings.bareIDs == .guests else {
            throw Refusal(
                .authIDPLoginFailed, "An id alone is no credential of this source.", reason: .credentialRejected,
                audit: "credential.refused")
        }
        guard (1...Self.longestID).contains(credential.value.secretValue.utf8.count) else {
            throw Refusal.parameter("credential", "An id has 1 to \(Self.longestID) bytes.")
        }
        let key = try work.actor.requireKey()
        let address = work.context.address
        try await work.withoutProof.transact { change, tx in
            guard try LegacyAttempts.count(by: key, from: address, change, in: tx) else { return }
            try change.record(.legacyGuesses, ["source": source.name], in: tx)
        }
        return .bareID(credential.kind, credential.value)
    }

    private func person(
        of credential: LegacyCredential, _ source: LegacySource, _ work: Work
    ) async throws -> LegacyPerson {
        do {
            return try await work.checking(.refusedCredentials) {
                try await work.person(of: credential, from: source)
            }
        } catch let failure as IdentityFailure {
            throw failure.refusal(rejected: .authIDPLoginFailed, misconfigured: .authIDPLoginInvalidIDPInfo)
        }
    }
}

/// Limits the ids of devices that are tried without anything else to show for them: in an hour of one device, of one network, and of
/// all. Table `legacy_attempts` has a row for each, and each node counts there. An attempt is counted before the id is looked for, and
/// taken back when it was right.
enum LegacyAttempts {
    private struct Party {
        let hash: [UInt8]
        let limit: Int
    }

    /// How many attempts of an app in an hour an operator is told of.
    static let alarm = perApp / 10
    static let perDevice = 10
    static let perNetwork = 60
    static let perApp = 3_000

    /// Counts an attempt.
    ///
    /// - Returns: whether as many have come in this hour as an operator should know of.
    /// - Throws: 8001 with status 429 when a limit is reached.
    static func count(
        by key: KeyThumbprint, from address: ClientAddress, _ change: Change, in tx: Transaction
    ) throws -> Bool {
        let hour = hour(of: change.moment)
        var tries = 0
        for party in parties(key, address, change) {
            try tx.execute(
                """
                INSERT INTO legacy_attempts (app_id, party_hash, hour, tries)
                VALUES (\(change.app.id), \(party.hash), \(hour), \(1))
                ON CONFLICT (party_hash, hour, app_id) DO UPDATE SET tries = legacy_attempts.tries + 1
                """)
            tries =
                try tx.first(
                    """
                    SELECT tries FROM legacy_attempts
                    WHERE party_hash = \(party.hash) AND hour = \(hour) AND app_id = \(change.app.id)
                    """
                ) { row in try row[0] } ?? 0
            guard tries <= party.limit else {
                let left = (hour + 1) * 3_600 - change.moment.milliseconds / 1_000
                throw Refusal.tooManyRequests(retryAfterSeconds: Int(clamping: max(1, left)))
            }
        }
        return tries == alarm
    }

    /// Takes back an attempt that was right.
    static func takeBack(
        by key: KeyThumbprint, from address: ClientAddress, _ change: Change, in tx: Transaction
    ) throws {
        for party in parties(key, address, change) {
            try tx.execute(
                """
                UPDATE legacy_attempts SET tries = tries - 1
                WHERE party_hash = \(party.hash) AND hour = \(hour(of: change.moment)) AND app_id = \(change.app.id)
                    AND tries > 0
                """)
        }
    }

    /// The parties in the order in which their rows are locked, the app's at last.
    private static func parties(_ key: KeyThumbprint, _ address: ClientAddress, _ change: Change) -> [Party] {
        let network = address.bytes.prefix(address.bytes.count == 16 ? 8 : 3)
        let names = [
            ("device \(key)", perDevice), ("network \(Base64URL.encode(network))", perNetwork), ("app", perApp),
        ]
        return names.map { name, limit in
            Party(hash: change.vault.fingerprint(of: name, for: .legacyParty(of: change.app.id)), limit: limit)
        }
    }

    private static func hour(of moment: Moment) -> Int64 { moment.milliseconds / 3_600_000 }
}
