import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension Console {
    /// Changes of the identities with which players log in.
    static let mappingDeeds = [removeMapping, moveMapping]

    private static func provider(_ values: FormValues) throws -> Provider {
        guard let name = values["idp"], name.utf8.count <= 64, name == Visit.plain(name, limit: 64) else {
            throw Refusal.parameter("idp", "The address names no identity provider.")
        }
        return Provider(name)
    }

    private static let removeMapping = DeedKind(
        name: "mapping.removed", level: .fresh, role: .operator, section: "members", target: member,
        preview: { visit, values in
            let (user, provider) = (try user(values), try provider(values))
            let report = try await visit.run(ReadMemberReport(user: user))
            let providers = report.member.mappings.map(\.provider)
            guard providers.contains(provider) else {
                throw Refusal.parameter("idp", visit.words("problem.code.3401"))
            }
            guard providers.count > 1 else { throw Refusal.parameter("idp", visit.words("problem.code.3402")) }
            let kept = visit.providerLabels(providers.filter { $0 != provider })
            let values = ["user": user.rawValue, "idp": visit.providerLabel(provider.rawValue), "idps": kept]
            return DeedPreview(
                visit.words("mapping-remove.title", values),
                [
                    visit.words("mapping-remove.what", values), visit.words("mapping-remove.sessions", values),
                    visit.words("mapping-remove.free", values),
                ], undo: visit.words("mapping-remove.undo"), button: visit.words("deed.mapping.removed"),
                cancel: visit.memberLink(user), isDangerous: true)
        },
        perform: { visit, values, call in
            let user = try user(values)
            try await call.run(RemoveMemberMapping(try provider(values), of: user))
            return DeedResult(visit.memberLink(user))
        })

    private static let moveMapping = DeedKind(
        name: "mapping.moved", level: .fresh, role: .operator, section: "members", target: member,
        fields: { visit, values in
            [
                Field(
                    "to", visit.words("mapping-move.to"), help: visit.words("mapping-move.to-help"), isRequired: true,
                    limit: 40)
            ]
        },
        preview: { visit, values in
            let (user, provider) = (try user(values), try provider(values))
            let other = try other(values, visit)
            let outcome: PreviewMappingMove.Outcome
            do {
                outcome = try await visit.run(PreviewMappingMove(provider, from: user, to: other))
            } catch let refusal as Refusal where refusal.status < 500 {
                let text = visit.words.problem(refusal, at: "code.\(refusal.code.rawValue)")
                throw FormProblems(["to": text])
            }
            let words = [
                "user": user.rawValue, "other": other.rawValue, "idp": visit.providerLabel(provider.rawValue),
            ]
            let days = String(try visit.app().policy.restoreDays)
            var sentences = [visit.words("mapping-move.what", words)]
            sentences.append(
                outcome.freezes
                    ? visit.words("mapping-move.freezes", words.merging(["count": days]) { $1 })
                    : visit.words("mapping-move.keeps", words))
            if outcome.endsGuest { sentences.append(visit.words("mapping-move.guest", words)) }
            return DeedPreview(
                visit.words("mapping-move.title", words), sentences,
                undo: visit.words(outcome.freezes ? "mapping-move.undo-restore" : "mapping-move.undo", ["count": days]),
                button: visit.words("deed.mapping.moved"), cancel: visit.memberLink(user), isDangerous: true)
        },
        perform: { visit, values, call in
            let user = try user(values)
            try await call.run(MoveMemberMapping(try provider(values), from: user, to: try other(values, visit)))
            return DeedResult(visit.memberLink(user))
        })

    /// The other member, as it was typed: in groups or in small letters.
    private static func other(_ values: FormValues, _ visit: Visit) throws -> UserID {
        let id = (values["to"] ?? "").typedID
        guard id.utf8.count == UserID.length, id.allSatisfy({ UserID.alphabet.contains($0) }) else {
            throw FormProblems(["to": visit.words("problem.user-id")])
        }
        return UserID(id)
    }
}
