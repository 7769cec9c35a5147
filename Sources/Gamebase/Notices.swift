import Foundation
import GatehouseWire

/// What Gamebase shows by itself, where the game has enabled it: an alert on Apple's systems, elsewhere an event.
enum Notices {
    /// Shows an alert to the player.
    typealias Presenter = @Sendable (Notice) async -> Void

    enum Notice: Sendable {
        case ban(TCGBBanInfo)
        /// A kick-out or a transfer, with what the player reads.
        case sessionEnd(String)
        case launching(LaunchingInformation)

        /// What the player reads.
        var message: String {
            switch self {
            case .ban(let ban): [ban.message, ban.csInfo, ban.csUrl].compactMap(\.self).joined(separator: "\n")
            case .sessionEnd(let message): message
            case .launching(let information):
                information.maintenance?.message ?? information.message ?? information.status.name
            }
        }

        /// A page that says more.
        var url: URL? {
            let text: String? =
                switch self {
                case .ban(let ban): ban.csUrl
                case .sessionEnd: nil
                case .launching(let information): information.maintenance?.url
                }
            return text.flatMap { URL(string: $0) }
        }

        /// The event that says the same; nil for what has an event of its own in any case.
        fileprivate var event: (category: TCGBGamebaseEventCategory, code: Int)? {
            switch self {
            case .ban: (.observerHeartbeat, ErrorCode.bannedMember.rawValue)
            case .sessionEnd: nil
            case .launching(let information): (.observerLaunching, information.status.rawValue)
            }
        }
    }

    /// How this system shows alerts; nil where it has none.
    static var standardPresenter: Presenter? {
        #if canImport(UIKit)
        { notice in await Alert.show(notice) }
        #else
        nil
        #endif
    }

    /// Shows what no event tells of: as an event where there are no alerts.
    static func show(_ notice: Notice, _ events: EventCenter) {
        Task {
            if let present = GamebaseClient.shared.presenter {
                await present(notice)
            } else if let (category, code) = notice.event {
                await events.send(category, code: code, message: notice.message)
            }
        }
    }

    /// Shows an alert of what an event tells as well.
    static func alert(_ notice: Notice) async {
        await GamebaseClient.shared.presenter?(notice)
    }
}
