import Foundation
import GatehouseWire

/// What Gamebase shows by itself, where the game has enabled it: an alert on Apple's systems, elsewhere an event.
enum Notices {
    enum Notice: Sendable {
        case ban(TCGBBanInfo)
        case launching(LaunchingInformation)

        /// What the player reads.
        var message: String {
            switch self {
            case .ban(let ban): [ban.message, ban.csInfo, ban.csUrl].compactMap(\.self).joined(separator: "\n")
            case .launching(let information):
                information.maintenance?.message ?? information.message ?? information.status.name
            }
        }

        /// A page that says more.
        var url: URL? {
            let text: String? =
                switch self {
                case .ban(let ban): ban.csUrl
                case .launching(let information): information.maintenance?.url
                }
            return text.flatMap { URL(string: $0) }
        }

        fileprivate var event: (category: TCGBGamebaseEventCategory, code: Int) {
            switch self {
            case .ban: (.observerHeartbeat, ErrorCode.bannedMember.rawValue)
            case .launching(let information): (.observerLaunching, information.status.rawValue)
            }
        }
    }

    static func show(_ notice: Notice, _ events: EventCenter) {
        Task {
            #if canImport(UIKit)
            await Alert.show(notice)
            #else
            let (category, code) = notice.event
            await events.send(category, code: code, message: notice.message)
            #endif
        }
    }
}
