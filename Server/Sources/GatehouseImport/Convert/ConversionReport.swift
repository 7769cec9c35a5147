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
