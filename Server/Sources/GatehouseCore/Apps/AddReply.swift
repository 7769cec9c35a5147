import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Adds a reply that support copies into answers to players.
package struct AddReply: OperatorAction {
    package static let about = OperatorActionAbout(
        "reply.added", role: .operator, step: .confirmed, section: "replies", subject: .reply, undo: RemoveReply.self)
    package static let inputs: [Input<Self>] = [.earlier(\.earlier), id, .replyTitle(\.title), .replyTexts(\.texts)]

    /// Zero until the form gives it the next one.
    private var id: Int
    /// The id of a removal that this one takes back.
    private var earlier: String?
    private var title = ""
    private var texts: [String: String] = [:]

    /// The id, which the target has.
    private static let id = Input<Self> { action, _, _ in
        [InputField(name: "reply", label: "replies.title", kind: .hidden, value: String(action.id))]
    } read: { action, _, _ in
        guard (1...Self.ids).contains(action.id) else { throw InputProblems(["reply": "problem.replies"]) }
    }

    /// The greatest id. Ids of replies that were removed are not given again while there is a greater one.
    private static let ids = 1_000_000

    package init(on target: DeedTarget) throws {
        id = try target.requireReply()
    }

    package var subject: DeedTarget { .reply(id) }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        if id == 0 { id = (try ReplyQueries.replies(of: view.app, in: tx).map(\.id).max() ?? 0) + 1 }
        guard let before = try view.earlier(earlier, in: tx)?.before else { return }
        title = before.values["title"] ?? title
        texts = before.texts("text.")
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let replies = try ReplyQueries.replies(of: view.app, in: tx)
        guard replies.count < Reply.maximum, !replies.contains(where: { $0.id == id }) else {
            throw InputProblems(["title": "problem.replies"])
        }
        var preview = Preview(
            Phrase("replies.add-title", ["name": .text(title)]), ["replies.what"], undo: "setting.undo")
        preview.playerReads = Preview.readings(texts)
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { [self] change, tx in
            // Replies of an app are added one after another.
            _ = try AppQueries.lock(change.app.id, in: tx)
            let replies = try ReplyQueries.replies(of: change.app.id, in: tx)
            guard replies.count < Reply.maximum, !replies.contains(where: { $0.id == id }) else {
                throw Refusal.parameter("reply", "The reply is there already, or there are \(Reply.maximum).")
            }
            try ReplyQueries.set(
                Reply(id: id, title: title, texts: LocalizedText(texts)), app: change.app.id, in: tx)
            try change.record(.replyAdded, in: tx)
        }
    }
}
