package import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseWire

/// Who asks for an action, and through which interface. Permissions, limits, the ledger and the audit log all use this value.
package struct Actor: Sendable, Hashable {
    /// What a caller has proven to be.
    package enum Principal: Sendable, Hashable {
        /// Nobody in particular. A device may have shown its key.
        case anyone(KeyThumbprint?)
        /// A device without a login, and the public address at which it reaches the server.
        case device(KeyThumbprint, origin: String)
        /// A device with the refresh token of a session, which the action verifies.
        case tokenHolder(RefreshToken, KeyThumbprint)
        /// A player with a session.
        case player(AccessClaims)
        case gameServer(Set<SecretKeyScope>)
        /// A person at the command or the console.
        case `operator`
        /// An identity provider that has sent a signed report.
        case provider(Provider)
        /// The server itself: a deadline has passed, or a job runs.
        case system
    }

    let principal: Principal
    let door: Origin.Door
    /// The name that a game server or an operator gives for itself.
    var name: String?
    /// The reason, for operators.
    var reason: String?
    /// What an operator may do; nil for a person without a role. A person at the command may do everything.
    var role: OperatorRole?
    /// What an operator may do on the whole server; nil for a person who has roles in apps only.
    var serverRole: OperatorRole?
    /// What an operator has confirmed in the console.
    var confirmation: ActionConfirmation?

    package init(principal: Principal, door: Origin.Door, name: String? = nil, reason: String? = nil) {
        self.principal = principal
        self.door = door
        self.name = name
        self.reason = reason
        // At the console only the person's grants say it.
        if door != .console { (role, serverRole) = (.owner, .owner) }
    }

    package static let system = Actor(principal: .system, door: .clock)
    /// The console, before it knows who uses it. It may do nothing but what leads to a sign-in (``ServerAction/isForVisitors``).
    package static let console = Actor(principal: .anyone(nil), door: .console)

    package static func `operator`(_ name: String, reason: String? = nil) -> Actor {
        Actor(principal: .operator, door: .command, name: name, reason: reason)
    }

    /// A person who uses the console, in the role that the person has in the app, or else on the server.
    package static func `operator`(
        _ person: Operator, as role: OperatorRole?, confirmation: ActionConfirmation? = nil, reason: String? = nil
    ) -> Actor {
        var actor = Actor(principal: .operator, door: .console, name: person.name, reason: reason)
        actor.role = role
        actor.serverRole = person.serverRole
        actor.confirmation = confirmation
        return actor
    }

    /// The role, as far as rules compare it: without one a person is a reader.
    var knownRole: OperatorRole { role ?? .viewer }

    /// The same actor with the name and the reason that a call contains.
    package func named(_ name: String?, reason: String? = nil) -> Actor {
        var actor = self
        actor.name = name
        actor.reason = reason
        return actor
    }

    /// What the ledger and the audit log keep of the actor.
    var origin: Origin {
        switch principal {
        case .anyone, .device, .tokenHolder, .player: Origin(actor: .player, door: door)
        case .gameServer: Origin(actor: .gameServer, door: door, name: name, reason: reason)
        case .operator: Origin(actor: .operator, door: door, name: name, reason: reason)
        case .provider(let provider): Origin(actor: .system, door: .provider, name: provider.rawValue)
        case .system: Origin(actor: .system, door: door, name: name, reason: reason)
        }
    }

    /// The key of the device that asks.
    var key: KeyThumbprint? {
        switch principal {
        case .anyone(let key): key
        case .device(let key, _), .tokenHolder(_, let key): key
        case .player(let claims): claims.key
        case .gameServer, .operator, .provider, .system: nil
        }
    }

    /// The name under which reports are made one after the other; nil for an actor without such a limit.
    func asker(in app: AppID?) -> String? {
        switch principal {
        case .gameServer: app.map { "app \($0)" }
        // A command has the database's queue for itself.
        case .operator where door == .console: name.map { "person \($0)" }
        case .operator, .anyone, .device, .tokenHolder, .player, .provider, .system: nil
        }
    }

    // If an action needs more than its door has verified, that is a mistake in the door. The call is refused.

    func requireKey() throws -> KeyThumbprint {
        guard let key else { throw Refusal(.notLoggedIn) }
        return key
    }

    func requireClaims() throws -> AccessClaims {
        guard case .player(let claims) = principal else { throw Refusal(.notLoggedIn) }
        return claims
    }

    func requireRefreshToken() throws -> (token: RefreshToken, key: KeyThumbprint) {
        guard case .tokenHolder(let token, let key) = principal else { throw Refusal(.notLoggedIn) }
        return (token, key)
    }
}

/// The kinds of actors in the ledger, the audit log and the audit lines.
public enum ActorKind: String, Sendable, Hashable {
    case player, gameServer, `operator`, system
}

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
