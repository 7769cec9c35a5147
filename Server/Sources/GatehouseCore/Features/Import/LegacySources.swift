import GatehouseJSON
import GatehousePlatform
package import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Sets a system that players may come from.
package struct SetLegacySource: Action {
    package static let permission = Permission.administer

    let name: String
    let kind: LegacySourceKind
    let settings: LegacySettings
    let key: ProviderToken?
    let until: Moment?

    /// - Parameters:
    ///   - key: the old system's key; nil keeps the one that was given before.
    ///   - until: when the exchange ends; nil keeps the end that was set before, or is in 180 days.
    package init(
        name: String, kind: LegacySourceKind, settings: LegacySettings, key: ProviderToken? = nil, until: Moment? = nil
    ) {
        self.name = name
        self.kind = kind
        self.settings = settings
        self.key = key
        self.until = until
    }

    package var audited: AuditedRun? { AuditedRun(on: .legacySources) }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try LegacySourceRules.set(name, kind, settings, key: key, until: until, change, in: tx)
            try change.record(.legacySourceSet, ["source": name, "kind": kind.rawValue], in: tx)
        }
    }
}

/// Closes a source for good. Its keys and the ids of devices are erased; who has come stays.
package struct CloseLegacySource: Action {
    package static let permission = Permission.administer
    /// How many rows one transaction looks at, because every login waits for it.
    private static let rows = 5_000

    let name: String
    let rows: Int

    package init(name: String) {
        self.init(name: name, rows: Self.rows)
    }

    /// - Parameter rows: how many rows one transaction looks at.
    init(name: String, rows: Int) {
        self.name = name
        self.rows = rows
    }

    package var audited: AuditedRun? { AuditedRun(on: .legacySources) }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            _ = try LegacySourceRules.known(name, app: change.app.id, in: tx)
            guard try LegacySourceQueries.close(name, app: change.app.id, at: change.moment, in: tx) else { return }
            try change.record(.legacySourceClosed, ["source": name], in: tx)
        }
        // Without the source's key the rows are of no use, so a call that was cut has left nothing behind that matters. Closing again
        // completes it.
        for hashes in LegacyQueries.Hashes.allCases {
            var last: [UInt8]? = []
            while let begin = last {
                last = try await work.transact { change, tx in
                    try LegacyQueries.delete(
                        hashes, of: name, app: change.app.id, after: begin, rows: rows, in: tx)
                }
            }
        }
    }
}

/// Lets another device claim a player of another system, for support.
package struct ReleaseLegacyMember: Action {
    package static let permission = Permission.administer

    let source: String
    let legacyID: String

    package init(source: String, legacyID: String) {
        self.source = source
        self.legacyID = legacyID
    }

    package var audited: AuditedRun? { AuditedRun(on: nil) }

    /// - Returns: the member; nil if no device had claimed it.
    package func perform(_ work: Work) async throws -> UserID? {
        try await work.transact { change, tx in
            try LegacyRules.release(legacyID, of: source, change, in: tx)
        }
    }
}

extension UseCase where Self == Read<[LegacySource]> {
    /// The systems that players may come from, or have come from.
    package static var legacySources: Self {
        Read { context, tx in try LegacySourceQueries.sources(of: context.app.id, in: tx) }
    }
}

/// Tries a credential of another system, as an exchange would. Nothing is written.
package struct TestLegacyCredential: Action {
    package static let permission = Permission.administer

    package enum Outcome: Sendable, Hashable {
        case person(LegacyPerson, isImported: Bool)
        case refused(why: String)
    }

    let source: String
    let credential: LegacyCredential

    package init(source: String, credential: LegacyCredential) {
        self.source = source
        self.credential = credential
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let app = work.app.id
        let source = try await work.read { [moment = work.moment] tx in
            try LegacySourceRules.open(self.source, app: app, at: moment, in: tx)
        }
        do {
            let person = try await work.person(of: credential, from: source)
            let member = try await work.read { tx in
                try LegacyQueries.member(person.legacyID, source: source.name, app: app, in: tx)
            }
            return .person(person, isImported: member != nil)
        } catch let failure as IdentityFailure {
            return .refused(why: failure.words)
        }
    }
}

extension Work {
    /// Asks or verifies who owns a credential of a source.
    ///
    /// - Throws: ``IdentityFailure``.
    func person(of credential: LegacyCredential, from source: LegacySource) async throws -> LegacyPerson {
        let secrets = try LegacySourceRules.secrets(of: source, app: app.id, vault: services.vault)
        let origin = LegacyOrigin(
            app: app.id, source: source.name, kind: source.kind, settings: source.settings, key: secrets.key)
        return try await services.providers.person(of: credential, from: origin, at: moment)
    }
}

/// Systems that players come from: what an operator may set, and how long an exchange goes on.
enum LegacySourceRules {
    static let standardDays: Int64 = 180
    static let longestDays: Int64 = 400

    /// The source with its keys, as long as players may come from it.
    ///
    /// - Throws: 3 for a name that the app doesn't have; 3201 when it is closed.
    static func open(_ name: String, _ change: Change, in tx: Reader) throws -> (LegacySource, LegacySecrets) {
        let source = try open(name, app: change.app.id, at: change.moment, in: tx)
        return (source, try secrets(of: source, app: change.app.id, vault: change.vault))
    }

    static func open(_ name: String, app: AppID, at moment: Moment, in tx: Reader) throws -> LegacySource {
        let source = try known(name, app: app, in: tx)
        guard source.isOpen(at: moment), source.sealedSettings != nil else {
            throw Refusal(
                .authIDPLoginFailed, "The time in which players come from this system is over.", reason: .legacyClosed)
        }
        return source
    }

    static func known(_ name: String, app: AppID, in tx: Reader) throws -> LegacySource {
        guard (1...64).contains(name.utf8.count), let source = try LegacySourceQueries.source(name, app: app, in: tx)
        else { throw Refusal.parameter("source", "The app has no such source of players.") }
        return source
    }

    static func secrets(of source: LegacySource, app: AppID, vault: KeyVault) throws -> LegacySecrets {
        try StoredJSON.read(
            LegacySecrets.self,
            from: vault.open(source.sealedSettings ?? [], for: .legacySource(source.name, of: app)))
    }

    /// The state of an app's sources, as the audit shows it: without their keys.
    static func state(of app: AppID, in tx: Reader) throws -> TargetState {
        var state = TargetState()
        for source in try LegacySourceQueries.sources(of: app, in: tx) {
            state.values.merge(try OperatorRecordRules.flat(source.settings, "\(source.name).")) { $1 }
            state.values["\(source.name).kind"] = source.kind.rawValue
            state.values["\(source.name).openUntil"] = String(source.openUntil.milliseconds)
            state.values["\(source.name).closedAt"] = source.closedAt.map { String($0.milliseconds) }
        }
        return state
    }

    /// Adds a source or changes one. Its kind stays, and so does its key where none is given.
    static func set(
        _ name: String, _ kind: LegacySourceKind, _ settings: LegacySettings, key: ProviderToken?, until: Moment?,
        _ change: Change, in tx: Transaction
    ) throws {
        try check(name, kind, settings, key)
        let app = change.app.id
        let old = try LegacySourceQueries.source(name, app: app, in: tx)
        var secrets = LegacySecrets(hashKey: LegacyHashKey(random: change.random), key: key)
        if let old {
            guard old.closedAt == nil else {
                throw Refusal.parameter("source", "The source was closed for good: another one needs another name.")
            }
            guard old.kind == kind else {
                throw Refusal.parameter("kind", "The source has the kind \(old.kind.rawValue), which stays.")
            }
            let kept = try self.secrets(of: old, app: app, vault: change.vault)
            secrets = LegacySecrets(hashKey: kept.hashKey, key: key ?? kept.key)
            let isElsewhere = (old.settings.issuer, old.settings.origin) != (settings.issuer, settings.origin)
            guard key != nil || kept.key == nil || !isElsewhere else {
                throw Refusal.parameter(
                    "key", "At another address the key is given anew: the old one would be sent there.")
            }
        }
        if kind.description.needs.contains(.key), secrets.key == nil { throw missing(.key) }
        let source = LegacySource(
            name: name, kind: kind, settings: settings,
            openUntil: try end(until ?? old?.openUntil, change), createdAt: old?.createdAt ?? change.moment,
            sealedSettings: try change.vault.seal(JSONWriter.bytes(of: secrets), for: .legacySource(name, of: app)))
        try LegacySourceQueries.set(source, app: app, in: tx)
    }

    private static func end(_ chosen: Moment?, _ change: Change) throws -> Moment {
        let end = chosen ?? change.moment.adding(seconds: standardDays * 86_400)
        guard end > change.moment, end <= change.moment.adding(seconds: longestDays * 86_400) else {
            throw Refusal.parameter("until", "Players come for at most \(longestDays) days from now.")
        }
        return end
    }

    private static func check(
        _ name: String, _ kind: LegacySourceKind, _ settings: LegacySettings, _ key: ProviderToken?
    ) throws {
        let letters = name.utf8.allSatisfy { byte in
            (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard letters, (1...40).contains(name.utf8.count) else {
            throw Refusal.parameter("source", "A source's name has 1 to 40 small letters, digits and hyphens.")
        }
        for need in kind.description.needs {
            let value: String? =
                switch need {
                case .project: settings.project
                case .issuer: settings.issuer
                case .audience: settings.audience
                // It may have been given before.
                case .key: "given"
                }
            guard let value, !value.isEmpty else { throw missing(need) }
        }
        for text in [settings.project, settings.issuer, settings.audience, settings.tenant] {
            guard (text ?? "-").utf8.count <= 512 else {
                throw Refusal.parameter("source", "A setting has at most 512 bytes.")
            }
        }
        if let issuer = settings.issuer {
            // OpenID Connect issuers are compared as they are, and some end with a slash.
            guard OutgoingRequest.isAllowed(issuer), kind == .openid || !issuer.ends(with: "/") else {
                throw Refusal.parameter("issuer", "The issuer is an https address without a slash at its end.")
            }
        }
        if settings.isGatehouse ?? false {
            let end = LegacyDescription.gatehouseIssuerEnd(of: settings.audience ?? "")
            guard kind == .openid, settings.issuer?.ends(with: end) ?? false else {
                throw Refusal.parameter(
                    "issuer",
                    "Another Gatehouse is of the kind openid: its issuer ends with /v1/apps/ and the audience.")
            }
        }
        if let origin = settings.origin, !OutgoingRequest.isLocal(origin) || origin.ends(with: "/") {
            throw Refusal.parameter("origin", "A fake world is on this machine, such as http://127.0.0.1:9090.")
        }
        guard let key else { return }
        guard (8...4_096).contains(key.secretValue.utf8.count), !kind.description.isKnown(key) else {
            throw Refusal.parameter(
                "key", "Everybody knows this key, or it is too short: with it anybody could sign for every player.")
        }
    }

    private static func missing(_ setting: LegacyDescription.Setting) -> Refusal {
        .parameter(setting.rawValue, "A source of this kind needs the \(setting.rawValue).")
    }
}
