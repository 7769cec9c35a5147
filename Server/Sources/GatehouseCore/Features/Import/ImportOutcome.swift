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

/// What an import says of a record that did not come in, or not whole, in a word for programs. Records that can't be read have the codes of
/// `RecordProblem`.
package enum ImportCode: String, Sendable, Codable, CaseIterable {
    // MARK: The record is skipped

    /// A member with another id of this source has the record's identity.
    case held
    /// Two members have identities of the record.
    case heldByTwo
    /// Another record of the file has the same id, identity or device.
    case twiceInFile
    /// Another member has the user id that was to be kept.
    case userIDTaken = "userIdTaken"
    /// The record has no user id that could be kept.
    case noUserID = "noUserId"
    /// The member has withdrawn here since an earlier import.
    case erased
    /// The member has withdrawn in the old system.
    case withdrawn
    /// The operator has said so.
    case skipped

    // MARK: Something of the record is left out

    /// What the file says now is not written, because it was changed here.
    case changedHere
    /// A second identity of one provider.
    case leftOut
    /// No identity provider of the app stands for the identity's.
    case noProvider
    /// The operator leaves out the identities of its provider.
    case omitted
    /// The identity's id is not the one that its provider tells here.
    case notMatchable
    /// The identity has not the form that its provider's have here.
    case misfit
    /// The device's id is too simple for a credential, or stands there in two kinds.
    case weakDevice
    /// Another member has come with this device.
    case deviceHeld
    /// A ban that is over, and not known from when to when, or a second one at the same time.
    case lostBan

    // MARK: The record is rejected

    /// The database does not take the record.
    case refused

    /// What it means, for the operator.
    package var message: String {
        switch self {
        case .held: "another player of this source has its identity"
        case .heldByTwo: "its identities belong to two members here: decide with --resolve"
        case .twiceInFile: "another record of the file has the same id, identity or device"
        case .userIDTaken: "a member has its user id"
        case .noUserID: "it has no user id to keep"
        case .erased: "the player has withdrawn here"
        case .withdrawn: "the player has withdrawn in the old system"
        case .skipped: "the file of decisions says so"
        case .changedHere: "it was changed here, and stays so"
        case .leftOut: "a second identity of one provider: a login with it makes another member"
        case .noProvider: "no identity provider of the app stands for its provider"
        case .omitted: "identities of its provider are left out, as --map says"
        case .notMatchable: "no login gives this id"
        case .misfit: "the id has another form than the provider's"
        case .weakDevice: "the device's id is too simple, or stands there in two kinds"
        case .deviceHeld: "another player has come with this device"
        case .lostBan: "a ban that is over and has no dates, or a second one at the same time"
        case .refused: "the database does not take it"
        }
    }
}

/// Something of a record that is left out, or was done otherwise than the record says.
package struct ImportNote: Sendable, Hashable {
    package let code: ImportCode
    /// Where in the record, such as `identities[0]`.
    package let path: String
    /// The member who has it.
    package var holder: UserID?

    init(_ code: ImportCode, at path: String, holder: UserID? = nil) {
        self.code = code
        self.path = path
        self.holder = holder
    }
}

/// What an import has done so far. Every record that was read was imported, skipped or rejected.
package struct ImportCounts: Sendable, Hashable, Codable {
    package var created = 0
    package var unchanged = 0
    package var extended = 0
    package var adopted = 0
    /// By code.
    package var skipped: [String: Int] = [:]
    package var rejected: [String: Int] = [:]
    /// Identities that came in, by the app's providers.
    package var identities: [String: Int] = [:]
    /// What was left out of records that came in, by code.
    package var notes: [String: Int] = [:]

    package init() {}

    package var imported: Int { created + unchanged + extended + adopted }
    package var skippedRecords: Int { skipped.values.reduce(0, +) }
    package var rejectedRecords: Int { rejected.values.reduce(0, +) }
    package var read: Int { imported + skippedRecords + rejectedRecords }
    /// Whether every record came in, and nobody has to look at one.
    package var isClean: Bool { skipped.isEmpty && rejected.isEmpty }

    package mutating func add(_ outcome: ImportOutcome) {
        switch outcome.kind {
        case .created: created += 1
        case .unchanged: unchanged += 1
        case .extended: extended += 1
        case .adopted: adopted += 1
        case .skipped: skipped[outcome.code ?? "", default: 0] += 1
        case .rejected: rejected[outcome.code ?? "", default: 0] += 1
        }
        for provider in outcome.providers { identities[provider.rawValue, default: 0] += 1 }
        for note in outcome.notes { notes[note.code.rawValue, default: 0] += 1 }
    }
}
