import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Changes a reply.
package struct ChangeReply: OperatorAction {
    package static let about = OperatorActionAbout(
        "reply.changed", role: .operator, step: .confirmed, section: "replies", subject: .reply,
        undo: ChangeReply.self)
    package static let inputs: [Input<Self>] = [.earlier(\.earlier), .replyTitle(\.title), .replyTexts(\.texts)]

    private let id: Int
    /// The id of an earlier change, which this one takes back.
    private var earlier: String?
    private var title = ""
    private var texts: [String: String] = [:]

    package init(on target: DeedTarget) throws {
        id = try target.requireReply()
    }

    package var subject: DeedTarget { .reply(id) }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        let reply = try view.reply(id, in: tx)
        let before = try view.earlier(earlier, in: tx)?.before
        title = before?.values["title"] ?? reply.title
        texts = before?.texts("text.") ?? reply.texts.texts
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let reply = try view.reply(id, in: tx)
        guard title != reply.title || texts != reply.texts.texts else {
            throw InputProblems(["title": "problem.nothing-changed"])
        }
        var preview = Preview(
            Phrase("replies.change-title", ["name": .text(reply.title)]), ["replies.what"], undo: "setting.undo")
        preview.playerReads = Preview.readings(texts)
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { [self] change, tx in
            guard try ReplyQueries.reply(id, app: change.app.id, in: tx) != nil else {
                throw Refusal.parameter("reply", "The app has no such reply.")
            }
            try ReplyQueries.set(
                Reply(id: id, title: title, texts: LocalizedText(texts)), app: change.app.id, in: tx)
            try change.record(.replyChanged, in: tx)
        }
    }
}
