import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Console {
    /// What takes back the end of a member's account.
    static let memberLifeDeeds = [restore]

    private static let restore = DeedKind(
        name: "member.restored", level: .fresh, role: .support, section: "members", target: member,
        preview: { visit, values in
            let user = try user(values)
            guard let plan = try await visit.run(PreviewRestore(user: user)) else {
                throw Refusal.parameter("user", visit.words("problem.not-restorable"))
            }
            var preview = DeedPreview(
                visit.words("restore.title", ["user": user.rawValue]), visit.consequences(of: plan, user),
                undo: visit.words(plan.other == nil ? "restore.undo-alone" : "restore.undo"),
                button: visit.words("deed.member.restored"), cancel: visit.memberLink(user))
            preview.table = visit.membersTable(of: plan, user)
            return preview
        },
        perform: { visit, values, call in
            let user = try user(values)
            let other = try await visit.run(PreviewRestore(user: user))?.other?.user
            try await call.run(RestoreMember(user: user, provider: nil))
            // The other member may need help as well, now that an identity is gone.
            let query = other.map { "?other=\(FormValues.encoded($0.rawValue))" } ?? ""
            return DeedResult(visit.memberLink(user) + query)
        })
}

extension Visit {
    /// What a restoration does to both members, as sentences.
    fileprivate func consequences(of plan: PreviewRestore.Plan, _ user: UserID) -> [String] {
        let idp = providerLabel(plan.provider.rawValue)
        var sentences = [words("restore.what", ["user": user.rawValue, "idp": idp])]
        if let other = plan.other {
            let values = [
                "other": other.user.rawValue, "idp": idp,
                "idps": providerLabels(other.providers),
            ]
            sentences.append(words("restore.other.\(Self.key(of: other.outcome))", values))
            sentences.append(
                words("restore.sessions", ["count": String(other.sessions), "other": other.user.rawValue]))
        } else {
            sentences.append(words("restore.nobody", ["idp": idp]))
        }
        sentences.append(
            words("restore.until", ["end": local.absolute(plan.until), "left": local.relative(plan.until)]))
        return sentences
    }

    private static func key(of outcome: Restoration.Other) -> String {
        switch outcome {
        case .keepsOthers: "keeps"
        case .isGuestAgain: "guest"
        case .isFrozen: "frozen"
        }
    }

    /// Both members, as they are now and as they will be.
    fileprivate func membersTable(of plan: PreviewRestore.Plan, _ user: UserID) -> Table {
        let idp = providerLabel(plan.provider.rawValue)
        var rows = [
            TableRow([.code(user.rawValue, link: memberLink(user)), Cell("–"), Cell(idp)])
        ]
        if let other = plan.other {
            let kept = other.providers.map { providerLabel($0.rawValue) }
            let now = other.outcome == .keepsOthers ? [idp] + kept : [idp]
            rows.append(
                TableRow([
                    .code(other.user.rawValue, link: memberLink(other.user)), Cell(now.joined(separator: ", ")),
                    Cell(kept.isEmpty ? "–" : kept.joined(separator: ", ")),
                ]))
        }
        return Table(
            words("restore.members"), [words("members.id"), words("restore.now"), words("restore.afterwards")], rows,
            empty: "")
    }
}
