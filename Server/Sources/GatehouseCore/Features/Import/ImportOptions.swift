package import GatehouseWire

/// What the operator has chosen for an import. It is stored with its run, so that a cut one goes on in the same way.
package struct ImportOptions: Sendable, Hashable, Codable {
    package enum UserIDs: String, Sendable, Codable, CaseIterable {
        /// Every member gets a new user id.
        case new
        /// Every member keeps the one of its record.
        case keep
    }

    /// What happens with a record whose player has come by an identity before the file.
    package enum HeldIdentities: String, Sendable, Codable, CaseIterable {
        /// That member gets the legacy id.
        case adopt
        /// The record is skipped.
        case report
    }

    /// The identity provider of the app that stands for one of the old system.
    package struct Target: Sendable, Hashable, Codable {
        /// Nil if the identities of the old one are left out.
        package let provider: Provider?
        /// Nil for that of the provider's settings.
        package let namespace: String?

        package static let omitted = Target(provider: nil)

        package init(provider: Provider?, namespace: String? = nil) {
            self.provider = provider
            self.namespace = namespace
        }
    }

    /// What the operator has decided about a record whose identities two members have.
    package enum Resolution: RawRepresentable, Sendable, Hashable, Codable {
        case skip
        case member(UserID)

        package init?(rawValue: String) { self = rawValue == "skip" ? .skip : .member(UserID(rawValue)) }

        package var rawValue: String {
            switch self {
            case .skip: "skip"
            case .member(let user): user.rawValue
            }
        }
    }

    /// The file's path, with which a cut run goes on.
    package var file = ""
    /// The folder in which the run's reports are.
    package var reports = ""
    package var providers: [String: Target] = [:]
    /// To whom the subjects of a provider belong, by the operator's word: a team, an app or a channel.
    package var assertions: [Provider: String] = [:]
    package var userIDs = UserIDs.new
    package var heldIdentities = HeldIdentities.adopt
    /// By legacy id.
    package var resolutions: [String: Resolution] = [:]
    /// How many records one transaction has at most.
    package var batch = Self.standardBatch

    /// How many records are written a second at most; nil for no limit.
    package var rate: Int?

    package static let standardBatch = 500
    package static let batches = 1...2_000
    package static let rates = 1...1_000_000

    package init() {}
}
