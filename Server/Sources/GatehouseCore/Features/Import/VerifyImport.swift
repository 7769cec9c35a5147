package import GatehouseImport
import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Compares records of a file with what the database has of them.
package struct VerifyImport: Action {
    package static let permission = Permission.administer

    /// A record that the database has otherwise.
    package struct Difference: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            /// Nobody has come with the record's id.
            case missing
            /// The member came with a record of another content.
            case otherRecord
            /// The member has not the identity, or no longer.
            case identity
            /// The file has a ban in effect, and the member is not banned, or the other way round.
            case ban
        }

        package let line: Int
        package let legacyID: String
        package let kind: Kind
        package var path = ""
    }

    /// What was found.
    package struct Result: Sendable {
        /// Records whose members are as they say.
        package fileprivate(set) var same = 0
        /// Records that an import skips, by code.
        package fileprivate(set) var skipped: [String: Int] = [:]
        package fileprivate(set) var unreadable = 0
        package fileprivate(set) var differences: [Difference] = []
        /// Identities that were found, by the app's providers.
        package fileprivate(set) var identities: [String: Int] = [:]
        package fileprivate(set) var statuses: [String: Int] = [:]
        package fileprivate(set) var banned = 0
    }

    let task: ImportTask
    let records: [NeutralFileReader.Record]

    package init(_ task: ImportTask, _ records: [NeutralFileReader.Record]) {
        self.task = task
        self.records = records
    }

    package func perform(_ work: Work) async throws -> Result {
        let (app, moment, vault) = (work.app.id, work.moment, work.services.vault)
        let batch = ImportBatch(records, task)
        var result = try await work.read { [task] tx in
            let key = try ImportRules.hashKey(of: task.mapping.source, app: app, vault: vault, in: tx)
            let decider = ImportDecider(task: task, hashKey: key, app: app, moment: moment)
            let verdicts = try decider.verdicts(of: batch.records, in: tx)
            var result = Result()
            for (record, verdict) in zip(batch.records, verdicts) {
                try Self.compare(record, verdict, app: app, at: moment, &result, in: tx)
            }
            return result
        }
        result.unreadable = records.count - batch.records.count
        return result
    }

    private static func compare(
        _ record: ImportRecord, _ verdict: ImportVerdict, app: AppID, at moment: Moment, _ result: inout Result,
        in tx: Reader
    ) throws {
        func differ(_ kind: Difference.Kind, at path: String = "") {
            result.differences.append(
                Difference(line: record.line, legacyID: record.member.legacyID, kind: kind, path: path))
        }
        switch verdict.decision {
        case .skip(let code, _): result.skipped[code.rawValue, default: 0] += 1
        case .create, .adopt: differ(.missing)
        case .extend: differ(.otherRecord)
        case .unchanged(let user):
            let count = result.differences.count
            let account = try MemberRules.known(user, app: app, in: tx)
            for identity in record.identities {
                let provider = identity.key.provider
                if account.mappings.contains(where: {
                    $0.provider == provider && $0.subject.isExactly(identity.key.subject)
                }) {
                    result.identities[provider.rawValue, default: 0] += 1
                } else {
                    differ(.identity, at: identity.path)
                }
            }
            let isBanned = account.isBanned(at: moment)
            if isBanned { result.banned += 1 }
            if (ImportBans(of: record.member, at: moment).current != nil) != isBanned { differ(.ban, at: "bans") }
            result.statuses[account.status.rawValue, default: 0] += 1
            if result.differences.count == count { result.same += 1 }
        }
    }
}
