import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Removes an identity from a member, for an operator.
package struct RemoveMemberMapping: OperatorAction {
    package static let about = OperatorActionAbout("mapping.removed", role: .operator, step: .fresh)
    package static let inputs: [Input<Self>] = [.identityProvider(\.provider)]

    var provider = Provider("")
    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(_ provider: Provider, of user: UserID) {
        self.provider = provider
        self.user = user
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let account = try view.account(of: user, in: tx)
        do {
            try MappingRules.requireRemovable(provider, of: account)
        } catch let refusal as Refusal {
            throw ImpossibleAction(phrase: Phrase("problem.code.\(refusal.code.rawValue)"), parameter: "idp")
        }
        let values: [String: Phrase.Value] = [
            "user": .user(user), "idp": .providers([provider]),
            "idps": .providers(account.mappings.map(\.provider).filter { $0 != provider }),
        ]
        var preview = Preview(
            Phrase("mapping-remove.title", values),
            [
                Phrase("mapping-remove.what", values), Phrase("mapping-remove.sessions", values),
                Phrase("mapping-remove.free", values),
            ], undo: Phrase("mapping-remove.undo", values))
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try MappingRules.remove(provider, of: user, change, in: tx) }
    }
}
