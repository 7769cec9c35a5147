package import GatehouseJSON

/// A player of another system in the neutral form: a line of a `gatehouse.members/1` file.
///
/// It has nothing by which a person could be found (e-mail, phone, name) and no secret (passwords, hashes).
package struct ImportedMember: Equatable, Sendable {
    package enum Status: String, Sendable, CaseIterable {
        /// It has an identity of a provider.
        case active
        /// It has no identity, so that only its device opens it.
        case guest
        /// It had a way in that does not come along, such as a password. Only a token of the old system still proves who it is.
        case unreachable
        /// Its withdrawal is under way.
        case withdrawn
    }

    /// What the old system's export may have left out.
    package enum Loss: String, Sendable, CaseIterable {
        case identities, devices, bans
    }

    /// The player's id in the old system.
    package var legacyID: String
    package var registrationDate: Int64?
    package var lastLoginDate: Int64?
    package var status: Status
    package var identities: [ImportedIdentity] = []
    package var devices: [ImportedDevice] = []
    package var bans: [ImportedBan] = []
    /// When the withdrawal under way becomes final.
    package var gracePeriodDate: Int64?
    /// Tokens that the old system issued before this date are no longer valid.
    package var validSinceDate: Int64?
    /// The id to keep, if it is one of Gatehouse's form.
    package var userID: String?
    package var lost: [Loss] = []
    /// An object with what has no place here, for the game's own server. Gatehouse stores nothing of it.
    package var extra: StrictJSON.Value?

    package init(legacyID: String, status: Status = .guest) {
        self.legacyID = legacyID
        self.status = status
    }

    /// The names of a record's members on the wire.
    package static let names = [
        "legacyId", "registrationDate", "lastLoginDate", "status", "identities", "devices", "bans", "withdrawal",
        "validSinceDate", "userId", "lost", "extra",
    ]
}
