import Foundation
import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

@Suite("Settings of identity providers")
struct ProviderConfigurationTests {
    /// Rows as versions before have stored them: all settings side by side.
    private static let stored = [
        #"{"clientIds":["game"],"isEnabled":true,"issuer":"https://id.example","kind":"openid","keysURL":"https://id.example/keys","algorithms":["ES256"],"revocationURL":"https://id.example/revoke","clientAuthentication":"private_key_jwt","reauthentication":{"max_age":"0"},"trustedCertificates":["PEM"]}"#,
        #"{"clientIds":["bundle"],"isEnabled":true,"kind":"gamecenter","gameCenterKind":"game","acceptsSandbox":true,"trustedCertificates":["PEM"]}"#,
        #"{"clientIds":["a"],"isEnabled":false,"kind":"partner","checks":[{"call":{"captures":{},"form":{},"headers":{},"json":{},"method":"GET","query":{},"success":{},"url":"https://p.example/me"},"subject":"id","audience":"app"}],"authorizationURL":"https://p.example/login","tokenURL":"https://p.example/token","acceptsUnboundTokens":true}"#,
        #"{"clientIds":["a"],"isEnabled":true,"kind":"line","regions":{"japan":{"clientIds":["b"]}},"namespace":"n","scopes":["openid"],"callbackURL":"https://c.example","origin":"http://127.0.0.1:1","additionalInfo":{"region":"japan"},"keepsProfile":false}"#,
    ]

    @Test("A row of a version before is read, and written with the same names and values", arguments: stored)
    func rows(text: String) throws {
        let configuration = try JSONText.read(text) as ProviderConfiguration
        let written = try JSONText.write(configuration)
        let members = { (text: String) in try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }
        #expect(try members(written) == members(text))
        #expect(try JSONText.read(written) as ProviderConfiguration == configuration)
    }

    @Test("The oldest rows have no kind: they are of OpenID Connect providers")
    func oldest() throws {
        let configuration =
            try JSONText.read(#"{"clientIds":["a"],"issuer":"https://id.example"}"#) as ProviderConfiguration
        #expect(configuration.kind == .openID)
        #expect(configuration.openID?.issuer == "https://id.example")
        #expect(configuration.isEnabled)
    }

    @Test("A row may have settings of another form: they have no effect, and the app goes on")
    func strangers() throws {
        let configuration =
            try JSONText.read(#"{"clientIds":["a"],"kind":"google","issuer":"https://evil.example","checks":[]}"#)
            as ProviderConfiguration
        #expect(configuration.form == .described)
        #expect(configuration.published.issuer == "https://accounts.google.com")
    }

    @Test("No setter makes a configuration of another form than its kind's")
    func forms() {
        var google = ProviderConfiguration(kind: .google, clientIds: ["a"])
        google.openID = .init(issuer: "https://evil.example")
        google.partner = .init()
        #expect(google.form == .described)
    }

    @Test(
        "An operator's document with a setting that its kind does not have is refused by the setting's name",
        arguments: [
            ("google", "issuer", "issuer", "A provider of kind google has its own issuer and keys."),
            ("google", "keysURL", "issuer", "A provider of kind google has its own issuer and keys."),
            (
                "apple", "clientAuthentication", "clientAuthentication",
                "A provider of kind apple has its own way to authenticate clients."
            ),
            (
                "line", "trustedCertificates", "trustedCertificates",
                "A provider of kind line is reached as the system trusts it."
            ),
            ("openid", "checks", "checks", "A provider of kind openid has its own calls."),
            (
                "openid", "tokenURL", "authorizationURL",
                "A provider of kind openid has its own page, or its discovery document names it."
            ),
            (
                "gamecenter", "reauthentication", "reauthentication",
                "A provider of kind gamecenter has its own way to ask anew."
            ),
            (
                "partner", "tokenURL", "tokenURL",
                "A page needs both: where players log in, and where the server exchanges the codes."
            ),
        ])
    func names(kind: String, name: String, parameter: String, message: String) throws {
        var members: [String: JSONValue] = ["kind": .string(kind), name: "x"]
        // A partner is refused first for the calls that it lacks.
        if kind == "partner" { members["checks"] = .array([]) }
        let document = JSONValue.object(members)
        let refusal = try #require(throws: Refusal.self) { try ProviderSettingsNames.check(document) }
        #expect(refusal.message == message)
        #expect(refusal.details.parameter == parameter)
        try ProviderSettingsNames.check(.object(["kind": .string(kind), name: .null]))
    }
}
