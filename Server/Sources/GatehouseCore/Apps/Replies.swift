import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// What support copies into an answer to a player, in several languages. `{user}` and `{end}` stand for the player's id and for the end of
/// the player's ban.
package struct Reply: Sendable, Hashable {
    package let id: Int
    /// What operators call it.
    package let title: String
    package let texts: LocalizedText

    /// Upper bound on an app's replies.
    package static let maximum = 50
}

/// Table `replies`.
enum ReplyQueries {
    /// Replaces a reply, or adds it.
    static func set(_ reply: Reply, app: AppID, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO replies (app_id, reply_id, title, texts)
            VALUES (\(app), \(reply.id), \(reply.title), \(try JSONText.write(reply.texts)))
            ON CONFLICT (app_id, reply_id) DO UPDATE SET title = excluded.title, texts = excluded.texts
            """)
    }

    /// The replies of an app, in the order in which they were added.
    static func replies(of app: AppID, in tx: Reader) throws -> [Reply] {
        try tx.rows(
            "SELECT reply_id, title, texts FROM replies WHERE app_id = \(app) ORDER BY reply_id LIMIT \(Reply.maximum)",
            reply)
    }

    static func reply(_ id: Int, app: AppID, in tx: Reader) throws -> Reply? {
        try tx.first("SELECT reply_id, title, texts FROM replies WHERE app_id = \(app) AND reply_id = \(id)", reply)
    }

    /// False if there is no such reply.
    static func delete(_ id: Int, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute("DELETE FROM replies WHERE app_id = \(app) AND reply_id = \(id)") == 1
    }

    private static func reply(_ row: Row) throws -> Reply {
        let texts: String = try row[2]
        return Reply(id: try row[0], title: try row[1], texts: try JSONText.read(texts))
    }
}

extension UseCase where Self == Read<[Reply]> {
    /// An app's replies, in the order in which they were added.
    package static var replies: Self {
        Read { context, tx in try ReplyQueries.replies(of: context.app.id, in: tx) }
    }
}

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

    package init(on target: ActionTarget) throws {
        id = try target.requireReply()
    }

    package var subject: ActionTarget { .reply(id) }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        if id == 0 { id = (try ReplyQueries.replies(of: context.app.id, in: tx).map(\.id).max() ?? 0) + 1 }
        guard let before = try context.earlier(earlier, in: tx)?.before else { return }
        title = before.values["title"] ?? title
        texts = before.texts("text.")
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let replies = try ReplyQueries.replies(of: context.app.id, in: tx)
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

    package init(on target: ActionTarget) throws {
        id = try target.requireReply()
    }

    package var subject: ActionTarget { .reply(id) }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let reply = try context.reply(id, in: tx)
        let before = try context.earlier(earlier, in: tx)?.before
        title = before?.values["title"] ?? reply.title
        texts = before?.texts("text.") ?? reply.texts.texts
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let reply = try context.reply(id, in: tx)
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

/// Removes a reply.
package struct RemoveReply: OperatorAction {
    package static let about = OperatorActionAbout(
        "reply.removed", role: .operator, step: .confirmed, section: "replies", subject: .reply, undo: AddReply.self)

    private let id: Int

    package init(on target: ActionTarget) throws {
        id = try target.requireReply()
    }

    package var subject: ActionTarget { .reply(id) }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let reply = try context.reply(id, in: tx)
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

// What the forms about replies have in common.
extension Input {
    /// What operators call a reply.
    static func replyTitle(_ path: any WritableKeyPath<A, String> & Sendable) -> Self {
        Input { action, _, _ in
            [
                InputField(
                    name: "title", label: "replies.title", kind: .text, value: action[keyPath: path],
                    help: "templates.name-help", isRequired: true, limit: 100)
            ]
        } read: { action, values, _ in
            guard let title = try values.text("title", bytes: 300) else {
                throw InputProblems(["title": "problem.reply-title"])
            }
            action[keyPath: path] = title
        }
    }

    /// What players read, by language.
    static func replyTexts(_ path: any WritableKeyPath<A, [String: String]> & Sendable) -> Self {
        let name = "text"
        let fields = texts(name, path, label: "replies.text", defaultHelp: nil).fields
        return Input(fields: fields) { action, values, _ in
            let texts = try values.localized(name)
            guard (1...50).contains(texts.count) else {
                throw InputProblems(["\(name).en": "problem.reply-text"])
            }
            action[keyPath: path] = texts
        }
    }
}

extension ActionTarget {
    /// The id of a reply, which may be none of the app's.
    ///
    /// - Throws: 3 if it is no reply.
    func requireReply() throws -> Int {
        guard case .reply(let id) = self else { throw Refusal.parameter("reply", "The action is about a reply.") }
        return id
    }
}

extension OperatorContext {
    /// - Throws: ``ImpossibleAction`` if the app has no such reply.
    func reply(_ id: Int, in tx: Reader) throws -> Reply {
        guard let reply = try ReplyQueries.reply(id, app: app.id, in: tx) else {
            throw ImpossibleAction(phrase: "error.no-page", parameter: "reply", isMissing: true)
        }
        return reply
    }
}
