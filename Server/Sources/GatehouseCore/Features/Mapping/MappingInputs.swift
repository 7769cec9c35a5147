import GatehouseWire

extension Input {
    /// The identity provider of a member's identity, which the address names.
    static func identityProvider(_ path: any WritableKeyPath<A, Provider> & Sendable) -> Self {
        Input { action, values, _ in
            action[keyPath: path] = Provider(try values.name("idp", "identity provider"))
        }
    }
}
