import Foundation
import GatehouseSecurity
import GatehouseWire
import Testing

@testable import FakeProviders
@testable import GatehouseProviders

extension Provider {
    fileprivate static let moon = Provider("moon")
}

/// A provider that nobody has: what a file in `Providers/` holds.
extension ProviderKind {
    fileprivate static let moon = ProviderKind(
        "moon", names: [ProviderName(.moon)],
        ProviderDescription(
            checks: [
                ProviderCheck(
                    ProviderCall("https://api.moon.example/me", headers: ProviderCall.bearer), subject: "who",
                    audience: "app", profile: "")
            ],
            oddities: ProviderOddities(refusal: { $0.secretValue.hasPrefix("crater-") ? "it is of no use" : nil })))
}

/// The file beside it: the fake of this provider.
extension FakeRow {
    fileprivate static let moon = FakeRow(
        provider: .moon, places: ["api.moon.example/me": .profile], settings: plain("moon"),
        profile: { idps, request in
            guard let owner = idps.owner(of: request.bearer, at: .moon) else {
                return FakeProviders.failure(401, "invalid_token")
            }
            return FakeProviders.json([
                "who": .string(idps.subject(of: owner.player, at: .moon)), "app": .string(owner.clientID),
            ])
        })
}

@Suite("Adding a provider")
struct AddedProviderTests {
    private static let app = AppID("game")
    private static let now = Moment(milliseconds: 1_790_000_000_000)
    private let idps: FakeProviders
    private let providers: ProviderVerification

    init() throws {
        let idps = FakeProviders(
            origin: "http://127.0.0.1:9", key: try FakeSigningKey(id: "fake"), rows: FakeRow.all + [.moon],
            nowSeconds: { Self.now.milliseconds / 1_000 })
        let environment = ServerEnvironment(
            now: { Self.now }, monotonicNanoseconds: { 0 }, random: .live,
            fetch: { request in
                guard
                    let asked = FakeProviders.Request(
                        method: request.method, url: request.url, headers: request.headers,
                        body: request.body ?? Data())
                else { throw OutgoingFailure.notConnected }
                let answer = idps.respond(asked)
                return OutgoingResponse(status: answer.status, body: answer.body)
            })
        self.idps = idps
        providers = ProviderVerification(
            environment: environment, vault: try KeyVault(masterKey: [UInt8](repeating: 7, count: 32)))
    }

    private func identity(_ credential: Credential) async throws -> VerifiedIdentity {
        var configuration = ProviderConfiguration(kind: .moon, clientIds: [idps.clientID(of: .moon)])
        configuration.origin = idps.origin
        return try await providers.verify(credential, configuration, in: Self.app, at: Self.now)
    }

    @Test("A provider is one value, and its fake another: with these two a player logs in")
    func login() async throws {
        let identity = try await identity(idps.credential(.moon, for: "alice"))
        #expect(identity.key == IdentityKey(provider: .moon, namespace: "", subject: "alice"))
        #expect(idps.requests(to: .moon) == 1)
    }

    @Test("What is odd about it is in its value, too, and so are its faults")
    func oddities() async throws {
        var credential = Credential(provider: .moon)
        credential.accessToken = "crater-1"
        await #expect(throws: IdentityFailure.rejected("it is of no use")) { try await identity(credential) }
        #expect(idps.requests(to: .moon) == 0)
        idps.set(.wrongAudience, for: .moon)
        await #expect(throws: IdentityFailure.audienceMismatch) {
            try await identity(idps.credential(.moon, for: "alice"))
        }
    }
}
