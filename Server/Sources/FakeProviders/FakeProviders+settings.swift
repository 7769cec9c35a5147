import Crypto
public import GatehouseWire

extension FakeProviders {
    /// An app's settings for a provider, in the format of `gatehouse idp set --file`.
    public func configuration(of provider: Provider) -> JSONValue {
        let members: [String: JSONValue] = [
            "origin": .string(origin), "clientIds": [.string(clientID(of: provider))],
            // A game without a provider's library finds the fake world with this.
            "additionalInfo": ["fakeWorld": .string(origin)],
        ]
        let own = row(of: provider)?.settings(self) ?? ["kind": .string(provider.rawValue)]
        return .object(members.merging(own) { $1 })
    }

    /// The secret settings.
    public func secrets(of provider: Provider) -> JSONValue {
        var secrets = row(of: provider)?.secrets(self) ?? [:]
        if row(of: provider)?.hasClientSecret ?? true {
            secrets["clientSecret"] = .string(clientSecret(of: provider))
        }
        return .object(secrets)
    }
}
