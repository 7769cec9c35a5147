import GatehouseSecurity
import GatehouseWire

/// The context of a rule that changes an account, besides its input and its transaction: one change of one app at one moment.
struct Change: Sendable {
    private let view: Viewpoint
    var origin: Origin
    let random: RandomSource
    /// Encrypts what must be recoverable.
    let vault: KeyVault

    var app: App { view.app }
    var moment: Moment { view.moment }

    init(_ view: Viewpoint, by origin: Origin, random: RandomSource, vault: KeyVault) {
        self.view = view
        self.origin = origin
        self.random = random
        self.vault = vault
    }
}

/// Who changes something, why, and through which interface.
public struct Origin: Sendable, Hashable {
    /// The interface of a change.
    public enum Door: String, Sendable, Hashable {
        case httpAPI = "http-api"
        /// Gamebase's Server API.
        case serverAPI = "server-api"
        case command
        /// A report of an identity provider.
        case provider
        /// A deadline that has passed.
        case clock
    }

    public var actor: AuditLog.Actor
    public var door: Door
    /// The name that the operator or the game server gives for itself.
    public var name: String?
    /// The reason, for operators.
    public var reason: String?

    public init(actor: AuditLog.Actor, door: Door, name: String? = nil, reason: String? = nil) {
        self.actor = actor
        self.door = door
        self.name = name
        self.reason = reason
    }

    /// Anyone who changes other players' accounts must give a name.
    func requireName() throws {
        guard let name, (1...128).contains(name.utf8.count) else {
            throw Refusal.parameter("registeredBy", "Who does it is named with 1 to 128 bytes.")
        }
    }

    /// Anyone who decides over other players' accounts must also give a reason.
    func requireReason() throws {
        guard let reason, (1...1_000).contains(reason.utf8.count) else {
            throw Refusal.parameter("reason", "A reason has 1 to 1000 bytes.")
        }
        try requireName()
    }

    static let player = Origin(actor: .player, door: .httpAPI)
    static let clock = Origin(actor: .system, door: .clock)

    static func provider(_ provider: Provider) -> Origin {
        Origin(actor: .system, door: .provider, name: provider.rawValue)
    }

    static func gameServer(_ name: String?, reason: String? = nil, by door: Door) -> Origin {
        Origin(actor: .gameServer, door: door, name: name, reason: reason)
    }
}
