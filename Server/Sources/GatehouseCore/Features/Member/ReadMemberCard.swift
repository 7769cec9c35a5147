import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Reads what an operator sees at first of a member beside its report: the pinned notes, the tickets, the last bans, what the member is in
/// other systems, and identities that have lately moved between it and another member.
package struct ReadMemberCard: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    /// Upper bound on the bans, the changes of identities and the operators' actions that are looked at, the newest first.
    private static let limit = 50

    let user: UserID

    package init(of user: UserID) {
        self.user = user
    }

    package struct Outcome: Sendable {
        package let pinned: [MemberNote]
        /// The tickets that operators have named, the newest first. Support sees its own.
        package let tickets: [String]
        /// The newest first.
        package let bans: [BanRecord]
        /// What the member is in the systems that members come from.
        package let legacy: [LegacyMember]
        /// The newest first.
        package let moves: [IdentityMove]
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let (view, actor) = (work.view, work.actor)
        let app = view.app.id
        return try await work.report { tx in
            let account = try MemberRules.known(user, app: app, in: tx)
            let deeds = try DeedQueries.records(
                of: app, target: DeedTarget.member(user).text, limit: Self.limit, in: tx)
            var tickets: [String] = []
            for case let ticket? in deeds.filter({ DeedRules.maySee($0, actor) }).map(\.ticket)
            where !tickets.contains(ticket) {
                tickets.append(ticket)
            }
            return Outcome(
                pinned: try NoteRules.pinned(of: user, app: app, in: tx), tickets: tickets,
                bans: try BanRules.newest(of: user, app: app, limit: Self.limit, in: tx),
                legacy: try LegacyRules.members(of: user, app: app, in: tx), moves: try moves(of: account, view, in: tx)
            )
        }
    }

    private func moves(of account: Account, _ view: Viewpoint, in tx: Reader) throws -> [IdentityMove] {
        let since = view.moment.adding(seconds: -Int64(view.app.policy.restoreDays) * 86_400)
        let changes = try LedgerQueries.changesOfIdentities(
            of: user, app: view.app.id, since: since, limit: Self.limit, in: tx)
        var seen: Set<String> = []
        return try changes.compactMap { entry in
            // An older change of the same identity is over.
            guard let idp = entry.details["idp"], seen.insert(idp).inserted, entry.origin.actor == .player else {
                return nil
            }
            let provider = Provider(idp)
            switch entry.event {
            case .mappingMovedHere:
                guard account.has(provider), let other = try self.other(entry.details["fromUserId"], view, in: tx)
                else { return nil }
                return try move(of: provider, from: other, to: account, entry, view, in: tx)
            case .mappingMovedAway:
                guard let other = try self.other(entry.details["toUserId"], view, in: tx), other.has(provider),
                    !account.has(provider), account.status != .withdrawn
                else { return nil }
                return try move(of: provider, from: account, to: other, entry, view, in: tx)
            default: return nil
            }
        }
    }

    private func other(_ user: String?, _ view: Viewpoint, in tx: Reader) throws -> Account? {
        try user.flatMap { try MemberQueries.account(UserID($0), app: view.app.id, in: tx) }
    }

    private func move(
        of provider: Provider, from former: Account, to holder: Account, _ entry: LedgerEntry, _ view: Viewpoint,
        in tx: Reader
    ) throws -> IdentityMove {
        var wayBack: IdentityMove.Return?
        if former.status == .missing {
            let kept = try FormerIdentityQueries.identities(
                of: former.user, app: view.app.id, at: view.moment, in: tx)
            if kept.contains(where: { $0.provider == provider }) { wayBack = .restoration }
        } else if !former.isGone, !former.has(provider), !holder.isBanned(at: view.moment) {
            wayBack = .move
        }
        return IdentityMove(
            provider: provider, holder: holder.user, former: former.user,
            date: Moment(milliseconds: entry.date), wayBack: wayBack)
    }
}
