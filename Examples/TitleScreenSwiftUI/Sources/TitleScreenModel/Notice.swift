import Foundation
import Gatehouse

/// Something that the player should read.
public struct Notice: Equatable, Sendable {
    /// What the player can do besides closing the notice.
    public enum Action: Equatable, Sendable {
        case tryAgain
        case update(URL)
        case startOver
    }

    public var title: Phrase
    /// The operator's own text.
    public var message: String?
    /// The game's text, where the operator has written none.
    public var explanation: Phrase?
    /// When it ends, such as a maintenance or a ban.
    public var until: Date?
    /// The operator's contact, as text.
    public var contact: String?
    /// A page with more, or with a way to ask.
    public var link: URL?
    public var action: Action?
    /// The code of an error that the player can only report.
    public var code: Int?
    /// The id with which support finds the call.
    public var transaction: String?

    init(
        _ title: Phrase, _ explanation: Phrase? = nil, message: String? = nil, until: Date? = nil,
        action: Action? = nil
    ) {
        self.title = title
        self.message = message
        self.explanation = message == nil ? explanation : nil
        self.until = until
        self.action = action
    }

    /// What the game's status means for the player; nil if there is nothing to say.
    init?(_ launching: LaunchingInformation) {
        let url = launching.updateURL.flatMap { URL(string: $0) }
        let message = launching.message ?? launching.maintenance?.message
        switch launching.status {
        case .requireUpdate:
            self.init(.updateRequired, .updateRequiredText, message: message, action: url.map { .update($0) })
        case .recommendUpdate:
            self.init(.updateRecommended, .updateRecommendedText, message: message, action: url.map { .update($0) })
        case .terminated: self.init(.terminated, .terminatedText, message: message)
        case _ where !launching.isPlayable:
            self.init(
                .maintenance, .maintenanceText, message: message, until: launching.maintenance?.endsAt,
                action: .tryAgain)
            link = launching.maintenance?.url.flatMap { URL(string: $0) }
        default:
            // The operator's greeting, or a maintenance that is planned.
            guard let message else { return nil }
            self.init(.news, message: message)
        }
    }

    /// Why the session has ended while the player was in.
    init(_ end: SessionNotice) {
        if let ban = end.ban {
            self.init(ban)
        } else if end.reason == .withdrawn {
            self.init(.deleted, .deletedText, message: end.message)
        } else {
            self.init(.ended, .endedText, message: end.message)
        }
    }

    init(_ ban: Ban) {
        self.init(.banned, .bannedText, message: ban.message, until: ban.endsAt)
        contact = ban.contact
        link = ban.contactUrl.flatMap { URL(string: $0) }
    }
}
