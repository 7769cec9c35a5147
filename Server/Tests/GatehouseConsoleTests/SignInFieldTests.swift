import GatehouseHTML
import GatehouseSecurity
import Testing

@testable import GatehouseConsole

/// What the fields of the sign-in tell a browser and a phone, and how an authenticator app names the server.
@Suite struct SignInFieldTests {
    private static func html(_ field: Field) -> String { String(decoding: field.html.bytes, as: UTF8.self) }

    @Test("A phone makes no capital letter of a name or a code, and has a keyboard of digits for what is digits alone")
    func keyboards() {
        let words = Words.of(["en"])
        // A recovery code takes the place of the first.
        let code = Self.html(.proofCode(words))
        #expect(code.contains(#" autocomplete="one-time-code" autocapitalize="none""#) && !code.contains("inputmode"))
        let new = Self.html(.newCode("code", "Code", words))
        #expect(
            new.contains(#" autocomplete="one-time-code" autocapitalize="none" inputmode="numeric""#), "\(new)")
        let text = Self.html(Field("text", "Text"))
        #expect(!text.contains("autocapitalize") && !text.contains("inputmode"))
    }

    @Test("An authenticator app names the server by the host of players, and one of this machine by its port")
    func host() throws {
        for (texts, name) in [
            (["https://login.example.com"], "login.example.com"),
            (["http://127.0.0.1:8080", "https://login.example.com:8443"], "login.example.com:8443"),
            (["https://b.example.com", "https://a.example.com"], "a.example.com"),
            (["http://10.0.0.5:8080"], "10.0.0.5:8080"),
        ] {
            let origins = try #require(PublicOrigins(texts))
            #expect(Console.host(of: origins, at: "127.0.0.1:8080") == name, "\(texts)")
        }
        for (authority, name) in [
            ("localhost:8080", "localhost:8080"), ("[::1]:9", "[::1]:9"), ("evil.example.com", "localhost"),
            ("localhost:8080/x", "localhost"), (nil, "localhost"),
        ] as [(String?, String)] {
            #expect(Console.host(of: .loopback, at: authority) == name, "\(name)")
        }
    }

    @Test("The address for an authenticator app has a symbol, however long the name and the host are")
    func symbol() {
        let totp = TOTP(secret: [UInt8](repeating: 7, count: TOTP.secretLength))
        for host in [
            "login.example.com", "[2001:db8:1234:5678:9abc:def0:1234:5678]:8443", String(repeating: "a", count: 253),
        ] {
            #expect(QRCode(totp.address(account: String(repeating: "k", count: 64), host: host)) != nil, "\(host)")
        }
    }
}
