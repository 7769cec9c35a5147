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
