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

        fileprivate var event: (TCGBGamebaseEventCategory, [String: JSONValue]) {
            switch self {
            case .ban:
                (
                    .observerHeartbeat,
                    ["code": .integer(Int64(ErrorCode.bannedMember.rawValue)), "message": .string(message)]
                )
            case .launching(let information):
                (
                    .observerLaunching,
                    ["code": .integer(Int64(information.status.rawValue)), "message": .string(message)]
                )
            }
        }
    }

    static func show(_ notice: Notice, _ events: EventCenter) {
        Task {
            #if canImport(UIKit)
            await Alert.show(notice)
            #else
            let (category, data) = notice.event
            await events.send(category, data)
            #endif
        }
    }
}
