/// What an export could not take along.
package enum ExportLoss: String, Sendable, CaseIterable, Codable {
    /// Members who have withdrawn.
    case withdrawn
    /// Members whose last identity is gone.
    case missing
    case graceBans
    case identities
    case bans
    case reasons
    /// Identities of providers that the target does not have.
    case providers
    case banEnds
    case pastBans
    case withdrawals
    case guests
    /// Members too large for a file of the target.
    case tooLarge

    /// What it says in `MISSING.txt`, after the number.
    package var message: String {
        switch self {
        case .withdrawn: "members who have withdrawn. Nothing of them is stored but their user ids."
        case .missing: "members without an identity, who can be restored here for a time."
        case .graceBans: "grace bans. These members are exported as if they had none."
        case .identities: "identities whose id is longer than 256 characters or has control characters."
        case .bans: "bans of members with more than 64: the oldest ones."
        case .reasons: "reasons of bans that were shortened to 1,000 characters or had control characters."
        case .providers: "identities of providers that the target does not have."
        case .banEnds: "bans that end by themselves. In the target they stay until somebody lifts them."
        case .pastBans: "bans that are over."
        case .withdrawals:
            "withdrawals under way. In the target these members are like others: withdraw them there in time."
        case .guests:
            """
            guests. Their only way in is a key of their device, which no other system knows. They get their account by an access token of \
            this server, as long as it runs: docs/export.md, Guests.
            """
        case .tooLarge: "members who are too large for a file of the target."
        }
    }
}
