import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Finds members by whatever an operator holds: a user id or its beginning, a provider's subject, a device's key, the id in a system that
/// they come from, the id of a transfer account, of a session or of a ban. Each is one look into an index.
package struct FindPlayer: Report {
    /// Upper bound on the found members.
    package static let limit = 50

    let text: String

    package init(text: String) {
        self.text = text
    }

    package struct Found: Sendable, Hashable {
        package enum By: String, Sendable, Hashable {
            case userID, beginning, identity, formerIdentity, legacyID, transfer, session, ban
        }

        package let by: By
        package let user: UserID
        package let status: MemberStatus
        /// The providers of the member's identities.
        package var providers: [Provider] = []
        /// The identity's provider.
        package var provider: Provider?
        /// When a former identity left the member.
        package var until: Moment?
        /// The system in which the member has the id.
        package var source: String?
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [Found] {
        let found = try find(view.app.id, in: tx)
        // Only a provider's and another system's ids may consist of anything. All others are found as they are typed and pasted.
        let typed = text.typedText
        guard found.isEmpty, !typed.isExactly(text) else { return found }
        return try FindPlayer(text: typed).find(view.app.id, in: tx)
    }

    private func find(_ app: AppID, in tx: Reader) throws -> [Found] {
        let id = text.typedID
        let isOfID = id.utf8.count <= UserID.length && id.allSatisfy { UserID.alphabet.contains($0) }
        if isOfID, id.utf8.count == UserID.length, let member = try found(.userID, UserID(id), app, in: tx) {
            return [member]
        }
        let (provider, subject) = named()
        var members = try MemberQueries.holders(ofSubject: subject, app: app, in: tx).filter {
            provider == nil || $0.provider == provider
        }.compactMap { holder in
            try found(.identity, holder.user, app, in: tx).map { member in
                var member = member
                member.provider = holder.provider
                return member
            }
        }
        members += try FormerIdentityQueries.holders(ofSubject: subject, app: app, limit: Self.limit, in: tx).filter {
            provider == nil || $0.provider == provider
        }.compactMap { former in
            try found(.formerIdentity, former.user, app, in: tx).map { member in
                var member = member
                (member.provider, member.until) = (former.provider, former.until)
                return member
            }
        }
        for legacy in try LegacyRules.members(named: text, app: app, in: tx)
        where !members.contains(where: { $0.user == legacy.user }) {
            guard var member = try found(.legacyID, legacy.user, app, in: tx) else { continue }
            member.source = legacy.source
            members.append(member)
        }
        if members.isEmpty, let user = try TransferRules.user(ofAccount: text, app: app, in: tx) {
            members = try [found(.transfer, user, app, in: tx)].compactMap(\.self)
        }
        if members.isEmpty, let session = try SessionQueries.session(SessionID(text.lowercased()), app: app, in: tx) {
            members = try [found(.session, session.session.user, app, in: tx)].compactMap(\.self)
        }
        if members.isEmpty, let ban = try HoldQueries.ban(text.lowercased(), app: app, in: tx) {
            members = try [found(.ban, ban.user, app, in: tx)].compactMap(\.self)
        }
        guard members.isEmpty, isOfID, id.utf8.count >= 4 else { return members }
        return try MemberQueries.users(beginningWith: id, app: app, limit: Self.limit, in: tx).compactMap { user in
            try found(.beginning, user, app, in: tx)
        }
    }

    /// `google:1234` names the provider too.
    private func named() -> (Provider?, String) {
        let parts = text.parts(at: ":", atMost: 2).map(String.init)
        guard parts.count == 2, ProviderName.all.contains(where: { $0.provider.rawValue == parts[0].lowercased() })
        else { return (nil, text) }
        return (Provider(parts[0].lowercased()), parts[1])
    }

    private func found(_ by: Found.By, _ user: UserID, _ app: AppID, in tx: Reader) throws -> Found? {
        try MemberQueries.account(user, app: app, in: tx).map { account in
            Found(by: by, user: user, status: account.status, providers: account.mappings.map(\.provider))
        }
    }
}
