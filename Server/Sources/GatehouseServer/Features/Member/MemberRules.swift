import GatehouseStorage
import GatehouseWire

/// The account of one person at one identity provider, as verified before the transaction began.
struct VerifiedIdentity: Sendable, Hashable {
    let provider: Provider
    /// What makes the subject unique at its provider (a team, a channel); empty where the provider has one space.
    let namespace: String
    let subject: String

    /// The guest identity is the device's key (LOGIN-1).
    static func guest(_ key: KeyThumbprint) -> VerifiedIdentity {
        VerifiedIdentity(provider: .guest, namespace: "", subject: key.rawValue)
    }
}

/// Who a member is, and which identities lead to it.
enum MemberRules {
    static func isKnown(_ identity: VerifiedIdentity, app: AppID, in tx: Transaction) throws -> Bool {
        try MemberQueries.owner(of: identity, app: app, in: tx) != nil
    }

    /// The member that the identity leads to; the first login of an identity makes it (LOGIN-4). Of many first logins at
    /// once one inserts the identity; the others find the constraint in their way, begin anew, and find its member.
    static func logIn(
        _ identity: VerifiedIdentity, app: AppID, at moment: Moment, random: RandomSource, in tx: Transaction
    ) throws -> (member: Member, isNew: Bool) {
        if let known = try MemberQueries.owner(of: identity, app: app, in: tx) {
            return (try returning(known, app: app, at: moment, in: tx), false)
        }
        let id = TimeOrderedID.user(at: moment, random: random)
        try MemberQueries.insertMember(id, app: app, at: moment, in: tx)
        try MemberQueries.insertIdentity(identity, of: id, app: app, at: moment, in: tx)
        let mapping = Mapping(
            provider: identity.provider, subject: identity.subject, registrationDate: moment.milliseconds)
        let member = Member(
            appId: app, userId: id, status: .normal, registrationDate: moment.milliseconds,
            lastLoginDate: moment.milliseconds, mappings: [mapping])
        return (member, true)
    }

    static func returning(_ id: UserID, app: AppID, at moment: Moment, in tx: Transaction) throws -> Member {
        try returning(try member(id, app: app, in: tx), at: moment, in: tx)
    }

    /// The member as it is from this login on.
    static func returning(_ member: Member, at moment: Moment, in tx: Transaction) throws -> Member {
        try MemberQueries.updateLastLogin(of: member.userId, app: member.appId, at: moment, in: tx)
        var member = member
        member.lastLoginDate = moment.milliseconds
        return member
    }

    static func member(_ id: UserID, app: AppID, in tx: Transaction) throws -> Member {
        guard let member = try MemberQueries.member(id, app: app, in: tx) else { throw Refusal(.authNotExistMember) }
        return member
    }
}
