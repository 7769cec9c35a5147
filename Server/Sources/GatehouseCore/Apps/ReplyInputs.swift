import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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

extension DeedTarget {
    /// The id of a reply, which may be none of the app's.
    ///
    /// - Throws: 3 if it is no reply.
    func requireReply() throws -> Int {
        guard case .reply(let id) = self else { throw Refusal.parameter("reply", "The action is about a reply.") }
        return id
    }
}

extension OperatorView {
    /// - Throws: ``ImpossibleAction`` if the app has no such reply.
    func reply(_ id: Int, in tx: Reader) throws -> Reply {
        guard let reply = try ReplyQueries.reply(id, app: app, in: tx) else {
            throw ImpossibleAction(phrase: "error.no-page", parameter: "reply", isMissing: true)
        }
        return reply
    }
}
