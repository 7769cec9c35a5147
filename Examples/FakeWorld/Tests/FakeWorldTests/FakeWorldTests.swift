import FakeProviders
import Foundation
import Gatehouse
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An example of a game's own tests with the fake identity providers.
@Suite struct FakeWorldTests {
    @Test("A fake provider publishes its keys, is down when it is told so, and recovers")
    func faults() async throws {
        try await FakeProviders.serving { idps in
            let keys = try #require(URL(string: "\(idps.origin)/www.googleapis.com/oauth2/v3/certs"))
            #expect(try await status(of: keys) == 200)
            idps.set(.down, for: .google)
            #expect(try await status(of: keys) == 503)
            idps.set(nil, for: .google)
            #expect(try await status(of: keys) == 200)
            #expect(idps.requests(to: .google) == 3)
        }
    }

    @Test("A credential is what the provider's own library would hand to the game")
    func credentials() async throws {
        try await FakeProviders.serving { idps in
            let credential = try idps.credential(.google, for: "alice")
            #expect(credential.provider == .google)
            #expect(credential.idToken != nil)
            #expect(idps.subject(of: "alice", at: .google) == "alice")
            #expect(idps.clientID(of: .google) == "gatehouse-google")
        }
    }

    private func status(of url: URL) async throws -> Int? {
        (try await URLSession.shared.data(from: url).1 as? HTTPURLResponse)?.statusCode
    }
}
