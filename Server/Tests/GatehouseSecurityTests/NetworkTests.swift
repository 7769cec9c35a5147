import GatehouseSecurity
import Testing

/// Where a call comes from, and the languages that it asks for.
@Suite struct NetworkTests {
    @Test("NET-2: a client's address comes from a trusted proxy's header, and from nobody else's")
    func clientAddress() throws {
        let proxies = try #require(Networks(["10.0.0.0/8", "192.0.2.7", "2001:db8::/33"]))
        func client(_ peer: String, _ header: String...) -> String {
            "\(proxies.client(peer: ClientAddress(peer) ?? .unknown, forwardedFor: header))"
        }
        #expect(client("203.0.113.9", "1.1.1.1") == "203.0.113.9")
        #expect(client("10.1.2.3", "1.1.1.1") == "1.1.1.1")
        #expect(client("10.1.2.3", "6.6.6.6, 1.1.1.1, 10.9.9.9") == "1.1.1.1")
        #expect(client("10.1.2.3", "6.6.6.6", "1.1.1.1") == "1.1.1.1")
        #expect(client("192.0.2.7", "[2001:db9::1]:4711") == "2001:db9::1")
        #expect(client("192.0.2.8", "1.1.1.1") == "192.0.2.8")
        #expect(client("10.1.2.3", "nonsense") == "10.1.2.3")
        #expect(client("10.1.2.3") == "10.1.2.3")
        #expect(client("10.1.2.3", "1.1.1.1:80") == "1.1.1.1")
        #expect(client("::ffff:10.1.2.3", "1.1.1.1") == "1.1.1.1")
        #expect(client("2001:db8:7fff::1", "1.1.1.1") == "1.1.1.1")
        #expect(client("2001:db8:8000::1", "1.1.1.1") == "2001:db8:8000::1")
        for wrong in ["10.0.0.0/33", "10.0.0/8", "x", "10.0.0.0/-1", "10.0.0.0/"] {
            #expect(Networks([wrong]) == nil)
        }
    }

    @Test("NET-3: of what several trusted proxies say, the word of the one that the client has reached counts")
    func words() throws {
        let proxies = try #require(Networks(["10.0.0.0/8"]))
        func word(_ list: String, _ hops: String..., peer: String = "10.0.0.1") -> Substring? {
            proxies.word(
                in: list.split(separator: ","), peer: ClientAddress(peer) ?? .unknown, forwardedFor: hops)
        }
        #expect(word("https", "1.1.1.1") == "https")
        #expect(word("https,http", "1.1.1.1, 10.0.0.2") == "https")
        #expect(word("https,http,http", "1.1.1.1", "10.0.0.2,10.0.0.3") == "https")
        // The client has written the first of them.
        #expect(word("https,http", "1.1.1.1") == "http")
        #expect(word("https,http,http", "6.6.6.6, 1.1.1.1, 10.0.0.2") == "http")
        #expect(word("https,http,http", "10.0.0.9, 1.1.1.1, 10.0.0.2") == "http")
        // The client is in a trusted network itself.
        #expect(word("https,http", "10.0.0.9") == "http")
        // A proxy between has passed on what it got, or replaced it.
        #expect(word("https", "1.1.1.1, 10.0.0.2") == "https")
        #expect(word("https,http", "1.1.1.1, nonsense") == "http")
        #expect(word("https,http") == "http")
        #expect(word("", "1.1.1.1") == nil)
        #expect(word("https", "1.1.1.1", peer: "8.8.8.8") == nil)
    }

    @Test("Limits count an IPv6 subscriber's whole network as one")
    func network() throws {
        let one = try #require(ClientAddress("2001:db8:1:2::1"))
        let same = try #require(ClientAddress("2001:db8:1:2:ffff::9"))
        let other = try #require(ClientAddress("2001:db8:1:3::1"))
        #expect(one.network == same.network)
        #expect(one.network != other.network)
    }

    @Test(
        "Accept-Language is read by weight, and never more than is sensible",
        arguments: [
            ("ko", ["ko"]), ("en;q=0.5, ko;q=0.9, ja", ["ja", "ko", "en"]), ("ko;q=0", []), ("*", []),
            ("en-US,en;q=0.9", ["en-US", "en"]), ("ko_KR", ["ko-KR"]), ("a", []), ("<script>", []),
            (String(repeating: "en,", count: 500), Array(repeating: "en", count: 8)),
        ])
    func acceptLanguage(header: String, languages: [String]) {
        #expect(AcceptedLanguages.parse(header) == languages)
    }
}
