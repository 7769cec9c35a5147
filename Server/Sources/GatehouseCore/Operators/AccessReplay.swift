import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// What a server's log, or the audit log that was exported, tells of access that was taken away: secret keys that have ended, and changes
/// of operators. A restored copy does not know it, and would let in again who was kept out.
public struct AccessChange: Sendable, Hashable {
    let record: AuditRecord

    /// Parses a line.
    ///
    /// - Throws: ``Erasure/Unreadable/ofSomethingElse`` for any other line; ``Erasure/Unreadable/broken`` if the line names such a change
    ///   but can't be parsed.
    public init(line: String) throws(Erasure.Unreadable) {
        guard let name = Self.names.first(where: { line.has("\"\($0)\"") }) else { throw .ofSomethingElse }
        // A log collector may have added a prefix.
        let json = line.utf8.drop { $0 != UInt8(ascii: "{") }
        guard let members = try? StoredJSON.read([String: JSONValue].self, from: Array(json)) else { throw .broken }
        guard members["audit"]?.stringValue == name else { throw .ofSomethingElse }
        func text(_ name: String) -> String? {
            members[name]?.stringValue ?? members["details"]?.objectValue?[name]?.stringValue
        }
        guard let id = text("auditId"), let time = Self.time(of: id) else { throw .broken }
        let app = text("appId").map { AppID($0) }
        let names = ["operator", "grants", "grantsBefore", "revoked", "sessions", "address"]
        let details = Dictionary(names.compactMap { name in text(name).map { (name, $0) } }) { first, _ in first }
        let isWhole = name.utf8.starts(with: "operator.".utf8) ? details["operator"] != nil : app != nil
        guard isWhole else { throw .broken }
        // Most new keys end no other one.
        guard name != AppEvent.secretCreated.rawValue || details["revoked"] != nil else { throw .ofSomethingElse }
        record = AuditRecord(
            id: id, event: name, app: app, user: nil,
            origin: Origin(
                actor: text("actor").flatMap(ActorKind.init) ?? .operator,
                door: text("door").flatMap(Origin.Door.init) ?? .console, name: text("by")), details: details,
            date: time)
    }

    /// With the names that they had in 0.6.0 and before.
    private static let secrets =
        [AppEvent.secretRevoked, .oldSecretsRevoked, .secretCreated].map(\.rawValue)
        + ["app.secret-revoked", "app.secrets-revoked", "app.secret-rotated"]
    /// What takes nothing away is passed over.
    private static let others: Set<OperatorEvent> = [.signedIn, .sessionsEnded, .preferencesSet]
    private static let names = secrets + OperatorEvent.allCases.filter { !others.contains($0) }.map(\.rawValue)

    /// The time of a record, between 1970 and 2100. A log's line has the time of its writing, and a server writes the lines of commands
    /// only some time after them.
    private static func time(of id: String) -> Int64? {
        guard id.utf8.count == TimeOrderedText.length else { return nil }
        return TimeOrderedText.milliseconds(of: id).flatMap { (0...4_102_444_800_000).contains($0) ? $0 : nil }
    }
}

/// Takes away again, in a restored database, what was taken away since its copy was made. It never gives anything: a person who got
/// more rights since the copy gets them again from an owner.
package struct ReplayAccess: ServerAction {
    let changes: [AccessChange]

    package init(_ changes: [AccessChange]) {
        self.changes = changes
    }

    package struct Outcome: Sendable, Hashable {
        /// The ids of the secret keys that have ended again, by app.
        package var secrets: [AppID: [String]] = [:]
        package var disabled: [String] = []
        /// People whose roles are lower again.
        package var demoted: [String] = []
        /// People whose password, second factor and recovery codes were replaced since, and who need a new link.
        package var withoutCredentials: [String] = []
        /// Changes that the copy knew already, or whose app or person it doesn't have.
        package var passedOver = 0
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        try await services.database.transact { [changes] tx in
            var replay = AccessReplay(moment: moment)
            // The ids are in the order of the events; the file need not be.
            for change in changes.sorted(by: { $0.record.id.utf8.lexicographicallyPrecedes($1.record.id.utf8) }) {
                // A record that is there was in the copy, or was repeated before.
                guard try !AuditQueries.isThere(change.record.id, in: tx) else {
                    replay.outcome.passedOver += 1
                    continue
                }
                try AuditQueries.insert(change.record, in: tx)
                try replay.take(change.record, in: tx)
            }
            try replay.finish(in: tx)
            return replay.outcome
        }
    }
}

/// The state of a replay: what the changes of each person come to.
struct AccessReplay {
    let moment: Moment
    var outcome = ReplayAccess.Outcome()
    private var disabled: [String: Bool] = [:]
    private var grants: [String: [GrantScope: OperatorRole]] = [:]
    private var withoutCredentials: Set<String> = []
    private var withoutCodes: Set<String> = []

    init(moment: Moment) {
        self.moment = moment
    }

    mutating func take(_ record: AuditRecord, in tx: Transaction) throws {
        let name = record.details["operator"] ?? ""
        switch OperatorEvent(rawValue: record.event) {
        case nil: try revoke(record, in: tx)
        case .disabled: disabled[name] = true
        case .enabled: disabled[name] = false
        case .granted, .invited: grants[name] = Dictionary(grants: record.details["grants"] ?? "")
        // The copy has what was replaced, which somebody else may know.
        case .factorReset, .passwordChanged, .factorRenewed, .enrolled: withoutCredentials.insert(name)
        case .recoveryUsed, .recoveryCodesRenewed: withoutCodes.insert(name)
        case .signedIn, .sessionsEnded, .preferencesSet: break
        }
    }

    private mutating func revoke(_ record: AuditRecord, in tx: Transaction) throws {
        guard let app = record.app else { return }
        let ids = Set((record.details["revoked"] ?? "").utf8.split(separator: 0x20).compactMap { String($0) })
        let ended = try SecretQueries.secrets(of: app, in: tx).filter { ids.contains($0.id) }
        for secret in ended { _ = try SecretQueries.revoke(hash: secret.hash, app: app, at: moment, in: tx) }
        if ended.isEmpty { outcome.passedOver += 1 } else { outcome.secrets[app, default: []] += ended.map(\.id) }
    }

    mutating func finish(in tx: Transaction) throws {
        let names = Set(disabled.keys).union(grants.keys).union(withoutCredentials).union(withoutCodes)
        for name in names.sorted() {
            guard let person = try OperatorQueries.find(named: name, in: tx)?.person else {
                outcome.passedOver += 1
                continue
            }
            if disabled[name] == true, !person.isDisabled {
                try OperatorQueries.setDisabled(true, person.id, in: tx)
                outcome.disabled.append(name)
            }
            if let left = grants[name].map({ person.grants.limited(to: $0) }), left != person.grants {
                try OperatorQueries.setGrants(left, of: person.id, in: tx)
                outcome.demoted.append(name)
            }
            if withoutCredentials.contains(name), person.isEnrolled {
                try OperatorQueries.deleteCredentials(of: person.id, in: tx)
                outcome.withoutCredentials.append(name)
            } else if withoutCodes.contains(name) {
                try OperatorQueries.setRecoveryCodes([], of: person.id, in: tx)
            }
        }
    }
}

extension [GrantScope: OperatorRole] {
    /// Reads the form in the audit.
    fileprivate init(grants text: String) {
        self = [:]
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let pair = part.split(separator: UInt8(ascii: "=")).map { String(decoding: $0, as: UTF8.self) }
            guard pair.count == 2, let role = OperatorRole(rawValue: pair[1]) else { continue }
            self[GrantScope(pair[0].trimmingSpaces())] = role
        }
    }

    /// The lower role of both in each scope. A scope that the other has not is none.
    fileprivate func limited(to other: Self) -> Self {
        var left: Self = [:]
        for (scope, role) in self { left[scope] = other[scope].map { Swift.min($0, role) } }
        return left
    }
}

/// A copy that was restored, before anything else uses it.
package struct RestoredCopy: Sendable {
    let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    /// Ends every session of the console, and voids the links with which people enrol, because they may have been ended since the copy.
    ///
    /// - Parameter migration: the newest that the copy has.
    package func endOperatorSessions(migration: Int) async throws {
        guard migration >= Migration.operators.number else { return }
        try await database.transact { tx in
            try tx.execute("DELETE FROM operator_sessions")
            try tx.execute("DELETE FROM operator_invitations")
        }
    }

    /// The secret keys and the people that the copy lets in.
    package func access() async throws -> (secrets: [(app: AppID, secret: AppSecret)], people: [Operator]) {
        try await database.read { tx in
            let secrets = try AppQueries.apps(in: tx).flatMap { app in
                try SecretQueries.secrets(of: app.id, in: tx).map { (app: app.id, secret: $0) }
            }
            return (secrets, try OperatorQueries.all(in: tx))
        }
    }
}
