import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Console {
    /// Help for guests who move to another device.
    static let transferDeeds = [unblock, reissue, void]

    private static let unblock = DeedKind(
        name: "transfer.unblocked", level: .confirmed, role: .support, section: "members", target: member,
        preview: { visit, values in
            let user = try user(values)
            guard let report = try await visit.run(ReadTransferReport(user: user)), report.failedAttempts > 0 else {
                throw Refusal.parameter("user", visit.words("problem.not-blocked"))
            }
            return DeedPreview(
                visit.words("transfer-unblock.title", ["user": user.rawValue]),
                [
                    visit.words("transfer-unblock.what", ["count": String(report.failedAttempts)]),
                    visit.words("transfer-unblock.device"),
                ], undo: visit.words("transfer-unblock.undo"), button: visit.words("deed.transfer.unblocked"),
                cancel: visit.memberLink(user))
        },
        perform: { visit, values, call in
            let user = try user(values)
            try await call.run(UnblockTransferAccount(user: user))
            return DeedResult(visit.memberLink(user))
        })

    private static let reissue = DeedKind(
        name: "transfer.reissued", level: .fresh, role: .support, section: "members", target: member,
        fields: { visit, values in
            let hasOne = try await visit.run(ReadTransferReport(user: try user(values))) != nil
            let kinds = hasOne ? ["both", "password"] : ["both"]
            return [
                Field(
                    "kind", visit.words("transfer-reissue.kind"),
                    .choice(kinds.map { Field.Option($0, visit.words("transfer-reissue.kind.\($0)")) }), value: "both")
            ]
        },
        preview: { visit, values in
            let user = try user(values)
            let target = try target(values, visit)
            let report = try await visit.run(ReadMemberReport(user: user))
            guard report.member.mappings.map(\.provider) == [.guest] else {
                throw Refusal.parameter("user", visit.words("problem.not-guest"))
            }
            let hasOne = try await visit.run(ReadTransferReport(user: user)) != nil
            guard hasOne || target == .idAndPassword else {
                throw FormProblems(["kind": visit.words("problem.choice")])
            }
            return DeedPreview(
                visit.words("transfer-reissue.title", ["user": user.rawValue]),
                [
                    visit.words("transfer-reissue.what.\(values["kind"] ?? "")"),
                    visit.words(hasOne ? "transfer-reissue.old" : "transfer-reissue.first"),
                    visit.words("transfer-reissue.once"),
                ], undo: visit.words("transfer-reissue.undo"), button: visit.words("deed.transfer.reissued"),
                cancel: visit.memberLink(user))
        },
        perform: { visit, values, call in
            let user = try user(values)
            let account = try await call.run(ReissueTransferAccount(target: try target(values, visit), user: user))
            return DeedResult(
                visit.memberLink(user),
                secrets: [
                    Fact(visit.words("transfer.id"), .code(account.id)),
                    Fact(visit.words("transfer.password"), .code(account.password?.secretValue ?? "–")),
                ])
        })

    private static func target(_ values: FormValues, _ visit: Visit) throws -> TransferRenewal.Target {
        switch values["kind"] {
        case "both": return .idAndPassword
        case "password": return .password
        default: throw FormProblems(["kind": visit.words("problem.choice")])
        }
    }

    private static let void = DeedKind(
        name: "transfer.voided", level: .fresh, role: .support, section: "members", target: member,
        preview: { visit, values in
            let user = try user(values)
            guard try await visit.run(ReadTransferReport(user: user)) != nil else {
                throw Refusal.parameter("user", visit.words("transfer.none"))
            }
            return DeedPreview(
                visit.words("transfer-void.title", ["user": user.rawValue]),
                [visit.words("transfer-void.what"), visit.words("transfer-void.keeps")],
                undo: visit.words("transfer-void.undo"), button: visit.words("deed.transfer.voided"),
                cancel: visit.memberLink(user), isDangerous: true)
        },
        perform: { visit, values, call in
            let user = try user(values)
            try await call.run(VoidTransferAccount(user: user))
            return DeedResult(visit.memberLink(user))
        })
}
