#if Player
import FakeProviders
import Foundation
import Gatehouse
import GatehouseWire
import Synchronization

/// Who plays, on which device, and what was handed over last: a ticket, a transfer account, a key.
final class Player {
    private(set) var gatehouse: Gatehouse
    var ticket: ForcingMappingTicket?
    var transferAccount: TransferAccount?
    var transferKey: TransferKey?

    private let client: Client
    private let name: Name
    private let adapters: [any AuthAdapter]
    /// Devices stay on when another is taken up.
    private var devices: [String: Gatehouse] = [:]

    private final class Name: Sendable {
        let value = Mutex("alice")
    }

    /// Who is known at the providers under this name.
    var playerName: String {
        get { name.value.withLock { $0 } }
        set { name.value.withLock { $0 = newValue } }
    }

    /// - Parameters:
    ///   - others: identity providers that the game knows beside the well-known ones.
    ///   - isRobot: whether nobody sits at the device.
    init(client: Client, others: Set<Provider> = [], isRobot: Bool) {
        self.client = client
        let name = Name()
        self.name = name
        let current: @Sendable () -> String = { name.value.withLock { $0 } }
        let robot = isRobot ? current : nil
        adapters = Set(FakeProviders.names).union(others).map { provider in
            GameLogin(provider: provider, robot: robot)
        }
        gatehouse = client.gatehouse(adapters: adapters)
        devices[""] = gatehouse
    }

    /// Takes up another device of this name; an empty one is the first.
    func takeUp(device: String) async throws(AuthError) {
        let known = devices[device]
        gatehouse = known ?? client.gatehouse(device: device, adapters: adapters)
        devices[device] = gatehouse
        if known == nil { try await gatehouse.start() }
    }

    /// The account as the SDK knows it, without a call.
    var account: [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "userId": gatehouse.userID.map { .string($0.rawValue) } ?? .null,
            "lastProvider": gatehouse.lastProvider.map { .string($0.rawValue) } ?? .null,
            "mappings": .array(gatehouse.mappings.map { .string($0.rawValue) }),
        ]
        switch gatehouse.state {
        case .restoring: fields["state"] = "restoring"
        case .locked: fields["state"] = "locked"
        case .signedOut(.noSession): fields["state"] = "signed-out"
        case .signedOut(.loggedOut): fields["state"] = "logged-out"
        case .signedOut(.sessionEnded(let notice)):
            fields["state"] = "session-ended"
            fields["notice"] = .string(notice.reason.rawValue)
            if let message = notice.message { fields["noticeMessage"] = .string(message) }
        case .signedIn(let member):
            fields["state"] = "signed-in"
            fields["memberStatus"] = .string(member.status.rawValue)
        case .offline(let member):
            fields["state"] = "offline"
            fields["memberStatus"] = .string(member.status.rawValue)
        }
        if let standing = gatehouse.standing {
            fields["standing"] = .string(standing.reason.rawValue)
            fields["isPlayable"] = .bool(standing.isPlayable)
        }
        return fields
    }
}
#endif
