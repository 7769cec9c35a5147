import GatehouseImport
import GatehouseProviders
package import GatehouseWire

/// What an import has done with one record, or would do.
package struct ImportOutcome: Sendable, Hashable {
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case created, unchanged, extended, adopted, skipped, rejected
    }

    /// The line in the file.
    package let line: Int
    /// Nil for a record that can't be read.
    package let legacyID: String?
    package let kind: Kind
    /// The member. A new one has an id only when it is written.
    package var user: UserID?
    /// Why it was skipped or rejected: an ``ImportCode``, or a code of a record that can't be read.
    package var code: String?
    package var path = ""
    package var message = ""
    /// The member who has what the record wants.
    package var holder: UserID?
    package var notes: [ImportNote] = []
    /// The providers of identities that came in with it.
    package var providers: [Provider] = []

    init(line: Int, legacyID: String?, _ kind: Kind) {
        self.line = line
        self.legacyID = legacyID
        self.kind = kind
    }

    init(_ verdict: ImportVerdict, of record: ImportRecord) {
        let kind: Kind =
            switch verdict.decision {
            case .create: .created
            case .unchanged: .unchanged
            case .extend: .extended
            case .adopt: .adopted
            case .skip: .skipped
            }
        self.init(line: record.line, legacyID: record.member.legacyID, kind)
        notes = verdict.notes
        switch verdict.decision {
        case .create: providers = record.identities.map(\.key.provider)
        case .unchanged(let user), .adopt(let user): self.user = user
        case .extend(let step):
            user = step.account.user
            providers = step.identities.map(\.key.provider)
        case .skip(let code, let holder): (self.code, self.holder) = (code.rawValue, holder)
        }
    }

    /// A record that can't be read.
    init(_ problem: RecordProblem, line: Int) {
        self.init(line: line, legacyID: nil, .rejected)
        (code, path, message) = (problem.code.rawValue, problem.path, problem.message)
    }

    /// A record that the database does not take.
    init(refused record: ImportRecord, _ error: any Error) {
        self.init(line: record.line, legacyID: record.member.legacyID, .rejected)
        (code, message) = (ImportCode.refused.rawValue, "\(error)")
    }
}
