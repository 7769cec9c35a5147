import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Shuts out who has got into a member's account: ends every session, and voids the transfer account and keys, at once. Without the second,
/// a stranger who knows the transfer password would move the guest again.
package struct SecureMember: OperatorAction {
    package static let about = OperatorActionAbout("member.secured", role: .support, step: .fresh)

    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        KickOutMember.emphasis(on: report, for: actor)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        var preview = Preview(
            Phrase("secure.title", ["user": .user(user)]), ["kick-out.what", "transfer-void.what", "secure.keeps"],
            undo: "transfer-void.undo")
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try KickOutRules.kickOut(user, message: LocalizedText([:]), change, in: tx)
            _ = try TransferRules.void(user, change, in: tx)
        }
    }
}
