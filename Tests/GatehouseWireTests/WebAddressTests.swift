import Testing

@testable import GatehouseWire

/// Web addresses, which people and programs write in more than one way.
@Suite struct WebAddressTests {
    @Test(
        "Origins that mean the same place have one form (RFC 3986 sections 6.2.2 and 6.2.3)",
        arguments: [
            ("https://login.example.com", "https://login.example.com"),
            ("HTTPS://Login.Example.COM", "https://login.example.com"),
            ("https://login.example.com/", "https://login.example.com"),
            ("https://login.example.com:443", "https://login.example.com"),
            ("https://login.example.com:0443/", "https://login.example.com"),
            ("https://login.example.com:", "https://login.example.com"),
            ("https://login.example.com.", "https://login.example.com"),
            ("https://login.example.com.:443", "https://login.example.com"),
            ("https://login.example.com:80", "https://login.example.com:80"),
            ("http://192.168.0.10:80", "http://192.168.0.10"), ("http://192.168.0.10:443", "http://192.168.0.10:443"),
            ("http://LocalHost:8080", "http://localhost:8080"), ("http://game_server:8080", "http://game_server:8080"),
            ("https://%4Cogin.example.com", "https://login.example.com"),
            ("http://[::1]:80", "http://[::1]"), ("http://[0:0:0:0:0:0:0:1]:8080", "http://[::1]:8080"),
            ("http://[FD00:0:0:1:0:0:0:A]", "http://[fd00:0:0:1::a]"),
            ("http://[2001:db8::0:1]", "http://[2001:db8::1]"),
            ("http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]"), ("http://[::]", "http://[::]"),
            ("http://[1:0:3:4:5:6:7:8]", "http://[1:0:3:4:5:6:7:8]"), ("http://[fe80::]", "http://[fe80::]"),
        ])
    func origin(text: String, normal: String) {
        #expect(WebOrigin(text)?.text == normal)
        #expect(WebOrigin(normal) == WebOrigin(text))
    }

    @Test(
        "A name in another script is the one that browsers send (RFC 5891, RFC 3492)",
        arguments: [
            ("https://로그인.example.com", "https://xn--2i0b10rutm.example.com"),
            ("https://XN--2I0B10RUTM.example.com", "https://xn--2i0b10rutm.example.com"),
            ("https://%EB%A1%9C%EA%B7%B8%EC%9D%B8.example.com", "https://xn--2i0b10rutm.example.com"),
            ("https://BÜCHER.example", "https://xn--bcher-kva.example"),
            ("https://ログイン。example。com", "https://xn--eckxa6p0a.example.com"),
            ("https://münchen-ost.example", "https://xn--mnchen-ost-9db.example"),
            ("https://ひとつ屋根の下2.example", "https://xn--2-u9tlzr9756bt3uc0v.example"),
            ("https://почта.example", "https://xn--80a1acny.example"),
        ])
    func otherScripts(text: String, normal: String) {
        #expect(WebOrigin(text)?.text == normal)
    }

    @Test(
        "What is no origin is none",
        arguments: [
            "", "login.example.com", "//login.example.com", "https:login.example.com", "https:/login.example.com",
            "ftp://login.example.com", "httpss://login.example.com", "null", "https://", "https:///", "https://:443",
            "https://kim@login.example.com", "https://kim:secret@login.example.com", "https://@login.example.com",
            "https://login.example.com/game", "https://login.example.com//", "https://login.example.com?x=1",
            "https://login.example.com#x", "https://login.example.com:0", "https://login.example.com:65536",
            "https://login.example.com:+443", "https://login.example.com:4 43", "https://login.example.com:443:443",
            "https://login..example.com", "https://.login.example.com", "https://login.example.com..",
            "https://login example.com", " https://login.example.com", "https://login.example.com\n",
            "https://login\\.example.com", "https://login%2eexample%2fcom", "https://%zz.example.com", "https://%ff",
            "https://[::1", "https://[::1]x", "https://[1:2:3:4:5:6:7]", "https://[1::2::3]", "https://[:::]",
            "https://[1:2:3:4:5:6:7:8:9]", "https://[::12345]", "https://[::g]", "https://[::1.2.3]",
            "https://[::1.2.3.256]",
            "https://[1::2:3:4:5:6:7:8]", "https://[::+1]", "https://[]", "https://::1",
            // A browser would replace these letters, or join them.
            "https://stra\u{df}e.example", "https://u\u{308}ber.example", "https://\u{ff41}.example",
            "https://\u{1112}\u{1161}.example", "https://\u{1f600}.example", "https://a\u{200d}b.example",
            "https://\(String(repeating: "a", count: 64)).example",
            "https://\(String(repeating: "a.", count: 127))example",
            "https://\(String(repeating: "로", count: 60)).example", "https://\(String(repeating: "a", count: 5_000))",
        ])
    func noOrigin(text: String) {
        #expect(WebOrigin(text) == nil)
    }

    @Test(
        "Addresses that mean the same call have one form, without a query (RFC 9449 section 4.3)",
        arguments: [
            ("https://login.example.com/v1/apps/game/login", "https://login.example.com/v1/apps/game/login"),
            ("HTTPS://login.example.com:443/v1/apps/game/login?a=b#c", "https://login.example.com/v1/apps/game/login"),
            ("https://login.example.com", "https://login.example.com/"), ("https://a.example?x", "https://a.example/"),
            ("https://a.example#/x", "https://a.example/"),
            ("https://a.example/%7Egame/%6cogin", "https://a.example/~game/login"),
            ("https://a.example/a%2fb%2Fc%c3%a4", "https://a.example/a%2Fb%2Fc%C3%A4"),
            ("https://a.example/a/./b/../c", "https://a.example/a/c"),
            ("https://a.example/a/%2E%2e/b", "https://a.example/b"),
            ("https://a.example/../../b", "https://a.example/b"), ("https://a.example/a/..", "https://a.example/"),
            ("https://a.example/a/b/.", "https://a.example/a/b/"),
            ("https://a.example/a//b/", "https://a.example/a//b/"), ("https://a.example/A", "https://a.example/A"),
        ])
    func address(text: String, normal: String) {
        #expect(WebAddress(text)?.text == normal)
        #expect(WebAddress(normal) == WebAddress(text))
    }

    @Test(
        "An address has a host, no user, and whole escapes",
        arguments: [
            "/v1", "https://", "https://kim@a.example/v1", "ftp://a.example/v1", "https://a.example/%zz",
            "https://a.example/%4", "https://a.example/%",
        ])
    func noAddress(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test("INP-7: no text makes the reading of an address stop the process")
    func hostile() {
        var state: UInt64 = 7
        func next() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 40)
        }
        let pieces = [
            "https://", "http://", "[", "]", ":", "::", "@", "/", "..", "%", "%2", "%2e", "%ff", "?", "#", ".", "-",
            "0", "65536", "99999999999999999999", "1.2.3.4", "ffff", "\u{0}", "\u{301}", "로", "\u{10ffff}",
            "\u{ff0e}", "A",
        ]
        var read = 0
        for _ in 0..<20_000 {
            let text = (0...next() % 8).map { _ in pieces[next() % pieces.count] }.joined()
            for text in [text, "https://a\(text)"] {
                guard let address = WebAddress(text) else { continue }
                read += 1
                // The normal form is its own.
                #expect(WebAddress(address.text) == address)
                #expect(WebOrigin(address.origin.text) == address.origin)
            }
        }
        #expect(read > 0)
    }
}
