import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// One exchange, in its transaction: it gives a player of another system to a device, and opens no session.
struct LegacyExchange {
    /// The player whom the device has now.
    struct Brought {
        let account: Account
        let provider: Provider
        let legacyID: String
        /// Whether nobody has claimed the player before.
        let isFirst: Bool
        /// Whether the player was not imported, and is a new member.
        var isNew = false
        /// Whether this exchange has claimed the player for the device.
        var isClaim = true
    }

    let claim: LegacyClaim
    let source: LegacySource
    let secrets: LegacySecrets
    /// The device's key.
    let key: KeyThumbprint
    let change: Change

    private var app: AppID { change.app.id }
    private var guest: IdentityKey { .guest(key) }

    func perform(in tx: Transaction) throws -> Brought {
        guard let found = try find(in: tx) else { return try create(in: tx) }
        let (account, displaced) = try take(found.user, in: tx)
        // What was read before the member's row was locked may have changed.
        guard var member = try LegacyQueries.member(found.legacyID, source: source.name, app: app, in: tx),
            member.user == found.user
        else { throw StorageError.conflict }
        guard !account.isGone else {
            throw Refusal(.invalidMember, reason: account.status == .withdrawn ? .withdrawn : nil)
        }
        try requireRecent(member)
        let isFirst = member.claimedKey == nil
        let current = try restoringLost(account, &member, in: tx)
        let (bound, provider) =
            current.mappings.isEmpty || current.isPureGuest
            ? (try bind(current, member, displacing: displaced, in: tx), .guest)
            : try identified(current, member, in: tx)
        let isClaim = member.claimedKey != key
        if isClaim { try LegacyQueries.claim(member, by: key, app: app, at: change.moment, in: tx) }
        return Brought(
            account: bound, provider: provider, legacyID: member.legacyID, isFirst: isFirst, isClaim: isClaim)
    }

    // MARK: Who it is

    private func find(in tx: Reader) throws -> LegacyMember? {
        switch claim.proof {
        case .person(let person):
            return try LegacyQueries.member(person.legacyID, source: source.name, app: app, in: tx)
        case .bareID(let kind, let value):
            let hash = secrets.hashKey.hash(ofDevice: value.secretValue)
            let user = try LegacyQueries.user(
                ofDevice: hash, kind.rawValue, source: source.name, app: app, in: tx)
            return try user.flatMap { try LegacyQueries.member(of: $0, source: source.name, app: app, in: tx) }
        }
    }

    /// Locks the member, and with it the guest that the device has now.
    private func take(_ user: UserID, in tx: Transaction) throws -> (Account, displaced: Account?) {
        if let owner = try MemberQueries.owner(of: guest, app: app, in: tx), owner != user {
            return try MemberRules.take(user, and: owner, app: app, at: change.moment, in: tx)
        }
        return (try MemberRules.take(user, app: app, at: change.moment, in: tx), nil)
    }

    private func requireRecent(_ member: LegacyMember) throws {
        guard let begin = member.validSince, let signedIn = claim.person?.signedInAt, signedIn < begin else { return }
        throw IdentityFailure.rejected("the old system has ended the sessions of its time")
            .refusal(rejected: .authIDPLoginFailed, misconfigured: .authIDPLoginInvalidIDPInfo)
    }

    /// Gives a member whose file has lost identities the one that the token names, where its form says whose it is. Google's subjects are
    /// the same for every client; others' may be those of another team or app.
    private func restoringLost(
        _ account: Account, _ member: inout LegacyMember, in tx: Transaction
    ) throws -> Account {
        guard member.hasLostIdentities, account.mappings.isEmpty, let person = claim.person,
            change.app.providers[.google]?.isEnabled ?? false,
            let subject = person.identities.first(where: { source.settings.provider(named: $0.name) == .google })?
                .subject,
            (1...64).contains(subject.utf8.count), subject.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return account }
        let identity = IdentityKey(provider: .google, namespace: "", subject: subject)
        guard try MemberQueries.owner(of: identity, app: app, in: tx) == nil else { return account }
        try MemberQueries.step(account, in: tx)
        try MemberQueries.insertIdentity(identity, of: account, at: change.moment, in: tx)
        try change.record(.mappingAdded(.google, endsGuest: false), of: account.user, in: tx)
        member.hasLostIdentities = false
        return try MemberRules.known(account.user, app: app, in: tx)
    }

    // MARK: A guest

    /// Makes the device's key the identity of a member who has none, or that of another device.
    private func bind(
        _ account: Account, _ member: LegacyMember, displacing displaced: Account?, in tx: Transaction
    ) throws -> Account {
        guard account.mappings.first?.subject != key.rawValue else { return account }
        if let claimed = member.claimedKey {
            // The device that has claimed the member has given it to another one since, by a transfer.
            let hasLeft = claimed == key && !account.mappings.isEmpty
            if hasLeft || claimed != key { try requireMove(hasLeft: hasLeft) }
        }
        if let displaced { try freeze(displaced, in: tx) }
        try MemberQueries.step(account, in: tx)
        if account.isPureGuest {
            try MemberQueries.deleteIdentity(.guest, of: account.user, app: app, in: tx)
            try TransferKeyRules.end(of: account.user, app: app, in: tx)
            try SessionRules.endAll(of: account, .init(reason: .transferred), change, in: tx)
        }
        try MemberQueries.insertIdentity(guest, of: account, at: change.moment, in: tx)
        return try MemberRules.known(account.user, app: app, in: tx)
    }

    /// The guest that the device has is kept for an operator to restore, if the caller lets it go.
    private func freeze(_ displaced: Account, in tx: Transaction) throws {
        let oldest = change.moment.adding(seconds: -LegacyRules.replaceableDays * 86_400)
        guard claim.replacesGuest, displaced.isPureGuest, !displaced.isBanned(at: change.moment),
            displaced.registrationDate >= oldest.milliseconds,
            try LegacyQueries.members(of: displaced.user, app: app, in: tx).isEmpty
        else {
            throw Refusal(
                .authIDPLoginFailed, "The device has a guest, which would be lost.", reason: .legacyGuestExists)
        }
        try MemberQueries.deleteIdentity(.guest, of: displaced.user, app: app, in: tx)
        try LifeRules.freeze(displaced, without: guest, reason: .transferred, change, in: tx)
    }

    /// Refuses a second device, unless the source lets players move by a good token. An id alone tells nobody whether it was known.
    private func requireMove(hasLeft: Bool) throws {
        if claim.isBare { throw unknown }
        guard source.settings.secondClaims == .move, !hasLeft else {
            throw Refusal(
                .authIDPLoginFailed, "Another device has brought this player.", reason: .legacyClaimed,
                audit: "legacy.claimed-before")
        }
    }

    // MARK: A member with identities

    /// The member under the identity that the token names.
    private func identified(
        _ account: Account, _ member: LegacyMember, in tx: Transaction
    ) throws -> (Account, Provider) {
        let named = claim.person?.identities.lazy.compactMap { identity -> Provider? in
            guard let provider = source.settings.provider(named: identity.name) else { return nil }
            let isOwn = account.mappings.contains { mapping in
                mapping.provider == provider && identity.subject.map { $0 == mapping.subject } ?? true
                    && isSignedIn(since: mapping.revokedDate)
            }
            return isOwn ? provider : nil
        }.first
        guard let named else {
            throw Refusal(
                .authIDPLoginFailed, "The player logs in with an identity provider.", reason: .legacyProviderRequired,
                details: ErrorDetails(providers: account.mappings.map(\.provider)))
        }
        if let claimed = member.claimedKey, claimed != key {
            try requireMove(hasLeft: false)
            try MemberQueries.step(account, in: tx)
            try SessionRules.endAll(of: account, .init(reason: .transferred), change, in: tx)
        }
        let current = try MemberRules.known(account.user, app: app, in: tx)
        return (try MemberRules.clearRevocation(current, with: named, in: tx), named)
    }

    /// Whether the player has signed in there after the provider has reported that the consent was revoked. A token from before is no new
    /// login with the provider.
    private func isSignedIn(since revoked: Int64?) -> Bool {
        guard let revoked else { return true }
        return claim.person?.signedInAt.map { $0.milliseconds > revoked } ?? false
    }

    // MARK: Nobody

    private var unknown: Refusal {
        Refusal(
            .authIDPLoginFailed, "Nobody was imported by this id.", reason: .legacyUnknown, audit: "legacy.unknown")
    }

    /// Makes a guest for a player who was not imported, if the old system says who it is.
    private func create(in tx: Transaction) throws -> Brought {
        guard let person = claim.person else { throw unknown }
        let hash = secrets.hashKey.hash(ofErased: person.legacyID)
        guard try !LegacyQueries.isErased(hash, source: source.name, app: app, in: tx) else {
            throw Refusal(.invalidMember, reason: .withdrawn)
        }
        guard source.settings.unknownPlayers == .create else { throw unknown }
        if let owner = try MemberQueries.owner(of: guest, app: app, in: tx) {
            // The guest may be this player, whom another call of the device has made since nobody was found.
            guard try find(in: tx) == nil else { throw StorageError.conflict }
            try freeze(MemberRules.take(owner, app: app, at: change.moment, in: tx), in: tx)
        }
        let (account, isNew) = try MemberRules.logIn(guest, change, in: tx)
        guard isNew else { throw StorageError.conflict }
        var member = LegacyMember(
            source: source.name, legacyID: person.legacyID, user: account.user, importedAt: change.moment)
        member.claimedAt = change.moment
        member.claimedKey = key
        try LegacyQueries.insert(member, app: app, in: tx)
        return Brought(account: account, provider: .guest, legacyID: person.legacyID, isFirst: true, isNew: true)
    }
}

/// What a device shows for being a player of another system.
struct LegacyClaim: Sendable {
    enum Proof: Sendable {
        /// The old system, or its key, says whose the credential is.
        case person(LegacyPerson)
        /// An id that the old system has taken as a credential.
        case bareID(LegacyCredential.Kind, ProviderToken)
    }

    let source: String
    let proof: Proof
    let replacesGuest: Bool

    var isBare: Bool { person == nil }

    var person: LegacyPerson? {
        if case .person(let person) = proof { person } else { nil }
    }
}
