/// The counts of a conversion. Each record that was read was imported, skipped or rejected.
package struct ConversionReport: Equatable, Sendable {
    /// One of the files.
    package struct File: Equatable, Sendable {
        package let name: String
        package let form: String
        package var records = 0
        package var notes: [ConversionNote] = []
    }

    package internal(set) var files: [File] = []
    package internal(set) var read = 0
    package internal(set) var imported = 0
    /// The counts by code.
    package internal(set) var skipped: [String: Int] = [:]
    package internal(set) var rejected: [String: Int] = [:]
    /// Lines with more details of players: those that were read, and those that could not be.
    package internal(set) var details = 0
    package internal(set) var rejectedDetails: [String: Int] = [:]
    /// How many players have details and are in none of the files with players.
    package internal(set) var unusedDetails = 0

    /// The imported members by status, their identities by provider, and their devices by kind.
    package internal(set) var statuses: [String: Int] = [:]
    package internal(set) var identities: [String: Int] = [:]
    package internal(set) var devices: [String: Int] = [:]
    package internal(set) var bans = 0
    package internal(set) var lost: [String: Int] = [:]
    /// Identities that no file can match, and those whose form is not their provider's, by provider.
    package internal(set) var unmatched: [String: Int] = [:]
    package internal(set) var misfits: [String: Int] = [:]
    /// What was left out of the imported members: by kind, and the members that are not known by name.
    package internal(set) var dropped: [String: Int] = [:]
    package internal(set) var ignored: [String: Int] = [:]
    /// What came along with less, by code.
    package internal(set) var reduced: [String: Int] = [:]
    package internal(set) var end = NeutralEnd()

    /// Whether every record and every detail could be read, and no page is missing.
    package var isComplete: Bool {
        rejected.isEmpty && rejectedDetails.isEmpty && !files.contains { $0.notes.contains(.pageFollows) }
    }

    private static let ignoredNames = 64

    package init() {}

    mutating func count(_ draft: MemberDraft) {
        let member = draft.member
        imported += 1
        statuses[member.status.rawValue, default: 0] += 1
        for identity in member.identities {
            identities[identity.provider, default: 0] += 1
            if !SubjectForm.fits(identity.subject, of: identity.provider) {
                misfits[identity.provider, default: 0] += 1
            }
        }
        for device in member.devices { devices[device.kind.rawValue, default: 0] += 1 }
        bans += member.bans.count
        for loss in member.lost { lost[loss.rawValue, default: 0] += 1 }
        for provider in draft.unmatchedProviders { unmatched[provider, default: 0] += 1 }
        for value in draft.dropped { dropped[value.rawValue, default: 0] += 1 }
        for name in draft.ignored {
            let isListed = ignored[name] != nil || ignored.count < Self.ignoredNames
            ignored[isListed ? name : "(others)", default: 0] += 1
        }
    }
}

/// What a report says about a file as a whole.
package enum ConversionNote: String, Sendable, CaseIterable {
    /// The last line has no line break, so that the file may be cut there.
    case noLineBreakAtEnd
    /// The file names a page after it, which must be among the files.
    case pageFollows
    /// Firebase's command leaves out providers of its own accord.
    case providersLeftOut
    /// A table of the command before 15.19.0 was read, whose quotation marks may be wrong.
    case oldTable

    package var message: String {
        switch self {
        case .noLineBreakAtEnd: "it does not end with a line break and may be cut"
        case .pageFollows: "it names a page that follows: that page must be among the files, too"
        case .providersLeftOut:
            "Firebase's command leaves out oidc.*, saml.* and phone entries: the pages of accounts:batchGet have them"
        case .oldTable: "tables of Firebase's command before 15.19.0 have lost players: compare the count"
        }
    }
}

/// What is never taken along, and counted instead.
package enum DroppedValue: String, Sendable, CaseIterable {
    case email, phone, name, picture, password, secondFactor, wallet, statistics
    /// A ban that is over, of which the file does not say when it ended.
    case endedBan
}

/// A record that did not come along, or not as a whole.
package struct ConversionIncident: Equatable, Sendable {
    package enum Outcome: String, Sendable {
        /// It is no player that can come along, as its code says.
        case skipped
        /// It can't be read or used.
        case rejected
        /// It came along, without something that its code names.
        case reduced
    }

    package let outcome: Outcome
    package let file: String
    /// The line on which the record begins, from 1.
    package let line: Int
    /// The player's id, where it could be read.
    package let legacyID: String?
    package let code: String
    package let path: String
    package let message: String
}

/// Why nothing is converted at all.
package struct ConversionFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// The file has none of the forms of its kind.
        case unknownForm
        /// A table of Firebase's command before 15.19.0, which has lost players.
        case oldTable
        /// The text is UTF-16, and not UTF-8.
        case notUTF8
        /// None of the files has players.
        case noPlayers
        /// An index names more parts than there are files.
        case missingParts
        /// A file with more details is read where no place in it can be looked up, such as a pipe.
        case needsFile
        /// A file was changed while it was read.
        case changedFile
        /// A column or another option is missing or wrong.
        case badOption
    }

    package let code: Code
    package let file: String
    package let message: String

    package var description: String { file.isEmpty ? message : "\(file): \(message)" }

    init(_ code: Code, file: String = "", _ message: String) {
        self.code = code
        self.file = file
        self.message = message
    }
}
