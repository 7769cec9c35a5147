import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Removes a reply.
package struct RemoveReply: OperatorAction {
    package static let about = OperatorActionAbout(
        "reply.removed", role: .operator, step: .confirmed, section: "replies", subject: .reply, undo: AddReply.self)

    private let id: Int

    package init(on target: DeedTarget) throws {
        id = try target.requireReply()
    }

    package var subject: DeedTarget { .reply(id) }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let reply = try view.reply(id, in: tx)
        var preview = Preview(
            Phrase("replies.remove-title", ["name": .text(reply.title)]), ["replies.remove-what"], undo: "setting.undo")
        preview.playerReads = Preview.readings(reply.texts.texts)
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { [id] change, tx in
            guard try ReplyQueries.delete(id, app: change.app.id, in: tx) else {
                throw Refusal.parameter("reply", "The app has no such reply.")
            }
            try change.record(.replyRemoved, in: tx)
        }
    }
}
