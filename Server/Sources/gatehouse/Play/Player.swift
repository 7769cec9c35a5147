#if Player
import FakeProviders
import Foundation
import Gatehouse
import GatehouseWire
import Synchronization

/// The player, the current device, and the last values received: a ticket, a transfer account, a key.
final class Player {
    private(set) var gatehouse: GatehouseClient
    var ticket: ForcingMappingTicket?
    var transferAccount: TransferAccount?
    var transferKey: TransferKey?

    private let client: Client
    private let name: Name
    private let adapters: [any AuthAdapter]
    /// Other devices keep running when the player switches to another one.
    private var devices: [String: GatehouseClient] = [:]

    private final class Name: Sendable {
        let value = Mutex("alice")
    }

    /// The player's name at the providers.
    var playerName: String {
        get { name.value.withLock { $0 } }
        set { name.value.withLock { $0 = newValue } }
    }

    /// - Parameters:
    ///   - others: identity providers that the game uses besides the well-known ones.
    ///   - browsing: who goes through the providers' pages; nil for a robot with the player's name.
    init(client: Client, others: Set<Provider> = [], browsing: GameLogin.Browsing? = nil) {
        self.client = client
        let name = Name()
        self.name = name
        let browsing = browsing ?? .robot { name.value.withLock { $0 } }
        adapters = Set(FakeProviders.names).union(others).map { provider in
            GameLogin(provider: provider, browsing: browsing)
        }
        gatehouse = client.gatehouse(adapters: adapters)
        devices[""] = gatehouse
    }

    /// Switches to another device; an empty name means the first.
    func takeUp(device: String) async throws(AuthError) {
        let known = devices[device]
        gatehouse = known ?? client.gatehouse(device: device, adapters: adapters)
        devices[device] = gatehouse
        if known == nil { try await gatehouse.start() }
    }

    /// What to say if the server can't be reached.
    func unanswered(_ error: AuthError) -> String {
        client.address.unanswered(error.detailErrorMessage.map { "\($0)." } ?? error.message)
    }

    /// The account from the SDK's state, without a call.
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
