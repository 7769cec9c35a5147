import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

/// The tables of a member's page.
extension Visit {
    func identityTable(_ member: Member) -> Table {
        Table(
            words("identity.title"), [words("identity.idp"), words("identity.subject"), words("identity.since")],
            member.mappings.map { mapping in
                let fields = ["user": member.userId.rawValue, "idp": mapping.provider.rawValue]
                let isGuest = mapping.provider == .guest
                let links = [
                    isGuest ? nil : offer("mapping.moved", fields, text: words("identity.move")),
                    member.mappings.count < 2
                        ? nil : offer("mapping.removed", fields, text: words("identity.remove")),
                ]
                return TableRow(
                    [
                        Cell(providerLabel(mapping.provider.rawValue)), .code(subject(mapping.subject)),
                        .time(Moment(milliseconds: mapping.registrationDate), local),
                    ], actions: links.compactMap(\.self))
            }, empty: words("identity.empty"))
    }

    /// A subject as this person may see it.
    func subject(_ subject: String) -> String { seesSubjects ? subject : "\(subject.prefix(4))…" }

    func sessionTable(_ user: UserID) async throws -> Table {
        let list = try await run(ListMemberSessions(request: MemberSessionsRequest(userId: user, after: nil)))
        return Table(
            words("session.title"),
            [
                words("session.device"), words("identity.idp"), words("session.client"), words("session.key"),
                words("session.begun"), words("session.used"),
            ],
            list.sessions.map { session in
                let fields = ["user": user.rawValue, "session": session.sessionId.rawValue]
                return TableRow(
                    [
                        Cell(Self.device(session)), Cell(providerLabel(session.provider.rawValue)),
                        Cell(session.clientVersion ?? "–"),
                        Cell(session.keyProtection.map(keyProtection) ?? "–"),
                        .time(Moment(milliseconds: session.beginDate), local),
                        .time(Moment(milliseconds: session.lastUsedDate), local),
                    ], actions: [offer("session.ended", fields, text: words("session.end"))].compactMap(\.self))
            }, empty: words("session.none"))
    }

    /// Where a device keeps its key. A word that the console does not know is shown as the device has sent it.
    private func keyProtection(_ protection: KeyProtection) -> String {
        words.optional("session.key.\(protection.rawValue)") ?? protection.rawValue
    }

    func transferFacts(_ report: TransferReport) -> [Fact] {
        let account = report.account
        return [
            Fact(words("transfer.id"), .code(seesSubjects ? account.id : "\(account.id.prefix(2))…")),
            Fact(words("transfer.issued"), .time(Moment(milliseconds: account.registrationDate), local)),
            Fact(
                words("transfer.expires"),
                account.expiryDate.map { .time(Moment(milliseconds: $0), local) } ?? Cell(words("transfer.never"))),
            Fact(words("transfer.used"), .time(report.usedAt, local)),
            Fact(words("transfer.failed"), Cell(String(report.failedAttempts))),
            Fact(words("transfer.blocked"), report.blockedUntil.map { .time($0, local) } ?? Cell("–")),
        ]
    }

    func transferActions(_ member: Member, _ report: TransferReport?) -> [Link] {
        let fields = ["user": member.userId.rawValue]
        var links: [Link?] = []
        if let report, report.failedAttempts > 0 { links.append(offer("transfer.unblocked", fields)) }
        let isGuest = member.mappings.map(\.provider) == [.guest]
        if isGuest, (try? app())?.policy.transfer != nil {
            links.append(offer("transfer.reissued", fields, text: report == nil ? words("transfer.first") : nil))
        }
        if report != nil { links.append(offer("transfer.voided", fields, style: "danger")) }
        return links.compactMap(\.self)
    }

    func banTable(_ user: UserID) async throws -> Table {
        let bans = try await run(ListBansOfMember(user: user))
        return Table(
            words("nav.bans"),
            [words("bans.begun"), words("bans.ends"), words("bans.reason"), words("bans.by"), words("bans.released")],
            bans.map { ban in
                TableRow([
                    .time(ban.beginsAt, local), ban.endsAt.map { .time($0, local) } ?? Cell(words("bans.for-good")),
                    Cell(ban.reason), Cell(ban.registeredBy),
                    ban.release.map { .time($0.at, local) } ?? Cell("–"),
                ])
            }, empty: words("bans.none"))
    }
}
