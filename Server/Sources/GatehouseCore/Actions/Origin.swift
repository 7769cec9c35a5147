import GatehouseSecurity

/// What is kept of the actor of a change: who, why, and through which interface.
public struct Origin: Sendable, Hashable {
    /// The interface of a change.
    public enum Door: String, Sendable, Hashable {
        case httpAPI = "http-api"
        /// Gamebase's Server API.
        case serverAPI = "server-api"
        case command
        /// The operators' console.
        case console
        /// A report of an identity provider.
        case provider
        /// A deadline that has passed.
        case clock
    }

    public var actor: ActorKind
    public var door: Door
    /// The name that the operator or the game server gives for itself.
    public var name: String?
    /// The reason, for operators.
    public var reason: String?

    public init(actor: ActorKind, door: Door, name: String? = nil, reason: String? = nil) {
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
}
