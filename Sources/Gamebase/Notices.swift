import Foundation
import GatehouseWire

/// Notices that Gamebase shows by itself if the game has enabled them: as an alert on Apple's systems, elsewhere as an event.
enum Notices {
    /// Shows an alert to the player.
    typealias Presenter = @Sendable (Notice) async -> Void

    enum Notice: Sendable {
        case ban(TCGBBanInfo)
        /// A kick-out or a transfer, with the message to the player.
        case sessionEnd(String)
        case launching(LaunchingInformation)

        /// The message to the player.
        var message: String {
            switch self {
            case .ban(let ban): [ban.message, ban.csInfo, ban.csUrl].compactMap(\.self).joined(separator: "\n")
            case .sessionEnd(let message): message
            case .launching(let information):
                information.maintenance?.message ?? information.message ?? information.status.name
            }
        }

        /// A page with more information.
        var url: URL? {
            let text: String? =
                switch self {
                case .ban(let ban): ban.csUrl
                case .sessionEnd: nil
                case .launching(let information): information.maintenance?.url
                }
            return text.flatMap { URL(string: $0) }
        }

        /// The event with the same content; nil for notices that always have their own event.
        fileprivate var event: (category: TCGBGamebaseEventCategory, code: Int)? {
            switch self {
            case .ban: (.observerHeartbeat, ErrorCode.bannedMember.rawValue)
            case .sessionEnd: nil
            case .launching(let information): (.observerLaunching, information.status.rawValue)
            }
        }
    }

    /// A button's title in the player's language.
    static func text(_ english: String, _ korean: String, _ japanese: String) -> String {
        let language = TCGBGamebase.displayLanguageCode().map { [$0] } ?? []
        return switch LanguageTag.best(of: ["en", "ko", "ja"], for: language) {
        case "ko": korean
        case "ja": japanese
        default: english
        }
    }

    /// How this system shows alerts; nil if it can't.
    static var standardPresenter: Presenter? {
        #if canImport(UIKit)
        { notice in await Alert.show(notice) }
        #else
        nil
        #endif
    }

    /// Shows a notice that no event reports. On systems without alerts it becomes an event.
    static func show(_ notice: Notice, _ events: EventCenter) {
        Task {
            if let present = GamebaseClient.shared.presenter {
                await present(notice)
            } else if let (category, code) = notice.event {
                await events.send(category, code: code, message: notice.message)
            }
        }
    }

    /// Shows an alert for a notice that an event reports too.
    static func alert(_ notice: Notice) async {
        await GamebaseClient.shared.presenter?(notice)
    }
}
