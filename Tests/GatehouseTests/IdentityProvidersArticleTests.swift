import Foundation
import Gatehouse
import GatehouseTesting
import Testing

private func logIn(_ gatehouse: GatehouseClient, with provider: Provider) async throws(AuthError) -> Member? {
    do {
        return try await gatehouse.logIn(with: provider, additionalInfo: ["region": "japan"]).member
    } catch {
        // The player has closed the page: nothing to say.
        guard error.code == .authUserCanceled else { throw error }
        return nil
    }
}

/// The code of the article, as a game has it.
@Suite struct IdentityProvidersArticleTests {
    @Test("The article's code logs in, and takes a closed page for no failure")
    func article() async throws {
        let adapter = ScriptedAdapter(.line)
        adapter.fail(.cancelled)
        let device = try await AdapterTests.device([adapter], providers: [.line: ProviderSettings()])
        #expect(try await logIn(device.gatehouse, with: .line) == nil)
        #expect(adapter.requests.first?.region == "japan")
        #expect(BrowserAdapter(.google).provider == .google)
    }

    @Test("A browser comes back to this device's own address, and to nothing else on it")
    func loopback() async throws {
        let (pages, page) = AsyncStream.makeStream(of: String.self)
        let attempt = BrowserAttempt(
            url: try #require(URL(string: "https://id.example/login")),
            pageURL: try #require(URL(string: "https://login.example/login/finished")))
        let request = AdapterRequest(settings: ProviderSettings()) { redirect in
            page.yield(redirect)
            return attempt
        }
        let adapter = BrowserAdapter(.google, in: .system(timeoutSeconds: 30) { #expect($0 == attempt.url) })
        async let credential = adapter.logIn(request)
        let redirect = try #require(await pages.first { _ in true })
        #expect(redirect.hasPrefix("http://127.0.0.1:"))
        let send = { (text: String) in
            try await GatehouseClient.Environment.live().send(
                TransportRequest(
                    method: "GET", url: try #require(URL(string: text)), headers: [:], body: nil, timeoutSeconds: 5))
        }
        let root = try #require(URL(string: redirect)?.deletingLastPathComponent().absoluteString)
        #expect(try await send("\(root)favicon.ico").status == 404)
        #expect(try await send("\(root)?code=stolen").status == 404)
        #expect(try await send(redirect).status == 400)
        #expect(try await send("\(redirect)?code=a&error=b").status == 400)
        let ended = try await send("\(redirect)?code=abc.def")
        #expect(ended.status == 303)
        #expect(try await credential.loginCode?.secretValue == "abc.def")
    }

    @Test("LOGIN-2: what the browser brings back in a code's place is what the login ends with")
    func refusals() async throws {
        for (error, expected) in [
            ("cancelled", AdapterError.cancelled), ("audience_mismatch", .refused(.audienceMismatch)),
            ("something new", .refused(ErrorReason("something new"))),
        ] {
            let request = AdapterRequest(settings: ProviderSettings()) { redirect in
                let url = try #require(URL(string: redirect))
                Task {
                    let text = error.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? ""
                    let target = try #require(URL(string: "\(url)?error=\(text)"))
                    _ = try await GatehouseClient.Environment.live().send(
                        TransportRequest(method: "GET", url: target, headers: [:], body: nil, timeoutSeconds: 5))
                }
                return BrowserAttempt(url: url, pageURL: url)
            }
            await #expect(throws: expected) {
                _ = try await BrowserAdapter(.google, in: .system { _ in }).logIn(request)
            }
        }
    }
}
