import GatehousePlatform
import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Moves an identity from one member to another, for an operator.
package struct MoveMemberMapping: OperatorAction {
    package static let about = OperatorActionAbout("mapping.moved", role: .operator, step: .fresh)
    package static let inputs: [Input<Self>] = [
        .identityProvider(\.provider),
        Input { action, _, _ in
            [
                InputField(
                    name: "to", label: "mapping-move.to", kind: .text, value: action.user.rawValue,
                    help: "mapping-move.to-help", isRequired: true, limit: 40)
            ]
        } read: { action, values, _ in
            action.user = try other(values)
        },
    ]

    var provider = Provider("")
    let holder: UserID
    var user = UserID("")

    package init(on target: DeedTarget) throws {
        holder = try target.requireMember()
    }

    package var subject: DeedTarget { .member(holder) }

    package init(_ provider: Provider, from holder: UserID, to user: UserID) {
        self.provider = provider
        self.holder = holder
        self.user = user
    }

    /// The other member, as it was typed: in groups or in small letters.
    private static func other(_ values: InputValues) throws -> UserID {
        let id = (values.text("to") ?? "").typedID
        guard id.utf8.count == UserID.length, id.allSatisfy({ UserID.alphabet.contains($0) }) else {
            throw InputProblems(["to": "problem.user-id"])
        }
        return UserID(id)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let (account, other): (Account, Account)
        do {
            (account, other) = try MappingRules.movable(provider, from: holder, to: user, view.view, in: tx)
        } catch let refusal as Refusal where refusal.status < 500 {
            throw InputProblems(["to": Phrase("problem.code.\(refusal.code.rawValue)")])
        }
        let freezes = other.mappings.count == 1
        let values: [String: Phrase.Value] = [
            "user": .user(holder), "other": .user(user), "idp": .providers([provider]),
            "count": .count(view.view.app.policy.restoreDays),
        ]
        var preview = Preview(
            Phrase("mapping-move.title", values),
            [
                Phrase("mapping-move.what", values),
                Phrase(freezes ? "mapping-move.freezes" : "mapping-move.keeps", values),
            ], undo: Phrase(freezes ? "mapping-move.undo-restore" : "mapping-move.undo", values))
        if account.isPureGuest { preview.consequences.append(Phrase("mapping-move.guest", values)) }
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try MappingRules.move(provider, from: holder, to: user, change, in: tx)
        }
    }
}
