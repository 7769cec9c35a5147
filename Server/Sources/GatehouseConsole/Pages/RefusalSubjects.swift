import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Visit {
    /// What a refused call is about besides its member, and where it leads.
    struct RefusalSubject {
        var table: Table?
        var actions: [Link] = []
    }

    /// The codes of which a provider, or its settings, is the reason.
    private static let providerCodes: Set<ErrorCode> = [
        .authNotSupportedProvider, ErrorCode(rawValue: 3201), ErrorCode(rawValue: 3202), ErrorCode(rawValue: 3301),
        ErrorCode(rawValue: 3304),
    ]

    func refusalSubject(_ refusal: RefusedCall) async throws -> RefusalSubject {
        switch refusal.code {
        case .authAddMappingAlreadyMappedToOtherMember: return try await conflict(of: refusal)
        case .bannedMember: return try await ban(of: refusal)
        case .authNotPlayable: return try rule(of: refusal)
        default:
            guard let provider = refusal.provider, provider != .guest, Self.providerCodes.contains(refusal.code) else {
                return RefusalSubject()
            }
            let text = words("refusal.provider", ["idp": providerLabel(provider.rawValue)])
            return RefusalSubject(actions: [Link(text, providerAddress(provider))])
        }
    }

    /// The member that has the identity, and those that had it.
    private func conflict(of refusal: RefusedCall) async throws -> RefusalSubject {
        guard let user = refusal.user, let provider = refusal.provider else { return RefusalSubject() }
        let parties = try await run(FindMappingConflict(of: user, with: provider, at: refusal.date))
        guard !parties.isEmpty else { return RefusalSubject() }
        let table = Table(
            words("refusal.parties"), [words("members.id"), words("members.state"), words("find.by")],
            parties.map { party in
                // A row shows its first link, and has the others in a menu.
                let restore =
                    party.status == .missing ? offer("member.restored", ["user": party.user.rawValue]) : nil
                let compare =
                    party.user == user ? nil : Link(words("compare.link"), comparisonLink(party.user, with: user))
                let idp = providerLabel(provider.rawValue)
                let text =
                    party.until.map { words("find.by.formerIdentity", ["idp": idp, "date": local.absolute($0)]) }
                    ?? words("refusal.holder", ["idp": idp])
                return TableRow(
                    [.code(party.user.rawValue, link: memberLink(party.user)), memberState(party.status), Cell(text)],
                    actions: [restore, compare].compactMap(\.self))
            }, empty: ""
        ).wrapping
        return RefusalSubject(table: table)
    }

    private func ban(of refusal: RefusedCall) async throws -> RefusalSubject {
        guard let user = refusal.user, let ban = try await run(FindBanInForce(of: user, at: refusal.date)) else {
            return RefusalSubject()
        }
        let end = ban.endsAt.map { Cell.time($0, local) } ?? Cell(words("bans.for-good"))
        let fields = ["user": user.rawValue]
        let release = ban.release == nil && mayChange(ban) ? [offer("ban.released", fields)].compactMap(\.self) : []
        let columns = ["bans.begun", "bans.ends", "bans.reason", "bans.by", "bans.released"]
        let row = TableRow(
            [
                .time(ban.beginsAt, local), end, Cell(ban.reason), Cell(ban.registeredBy),
                ban.release.map { .time($0.at, local) } ?? Cell("–"),
            ], actions: [Link(words("refusal.open-ban"), memberLink(user) + "#bans")] + release)
        return RefusalSubject(
            table: Table(words("refusal.ban"), columns.map { words($0) }, [row], empty: ""))
    }

    /// The rule by client that would refuse the same client now, or the service's status.
    private func rule(of refusal: RefusedCall) throws -> RefusalSubject {
        let app = try app()
        let launching = Link(words("nav.launching"), address("launching"))
        guard let client = refusal.device, let rule = app.clientRules.first(matching: client), !rule.status.isPlayable,
            let index = app.clientRules.firstIndex(where: { $0.id == rule.id })
        else { return RefusalSubject(actions: [launching]) }
        let change = offer("client-rule.changed", ["rule": rule.id], text: words("client-rules.change"))
        let number = words("refusal.rule", ["number": String(index + 1)])
        let row = TableRow(
            [Cell(number, note: text(rule.clients)), statusCell(rule.status)],
            actions: [launching] + [change].compactMap(\.self))
        return RefusalSubject(
            table: Table(
                words("refusal.rules"), [words("client-rules.title"), words("members.state")], [row], empty: ""))
    }
}
