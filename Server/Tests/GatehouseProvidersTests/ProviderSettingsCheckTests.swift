import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

/// What an operator may set, before any provider is asked.
@Suite struct ProviderSettingsCheckTests {
    @Test("IDP-10: a provider without a client id can't be configured")
    func noAudience() throws {
        let app = try FakeApp()
        for clients in [[], [""], ["a", ""]] as [JSONValue] {
            let refusal = #expect(throws: Refusal.self) { try app.configuration(of: .google, ["clientIds": clients]) }
            #expect(refusal?.details.parameter == "clientId")
        }
        let region: JSONValue = ["japan": ["clientIds": []]]
        #expect(throws: Refusal.self) { try app.configuration(of: .line, ["regions": region]) }
    }

    @Test(
        "IDP-10: an address is https, or http on this machine",
        arguments: [
            ("http://example.com/keys", false), ("https://user@example.com/keys", false),
            ("file:///etc/passwd", false),
            ("https://example.com/keys#a", false), ("nonsense", false), ("https://example.com/keys", true),
            ("http://127.0.0.1:9/keys", true), ("http://localhost:9/keys", true),
            ("http://localhost.example.com/keys", false),
        ])
    func addresses(url: String, isFine: Bool) throws {
        var configuration = ProviderConfiguration(kind: .openID, clientIds: ["client"])
        configuration.openID?.issuer = "https://example.com"
        configuration.openID?.keysURL = url
        let check = ProviderSettingsCheck(configuration: configuration)
        #expect(((try? check.check()) != nil) == isFine)
    }
}
