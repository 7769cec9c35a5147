import FakeProviders
import Foundation
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

@Suite struct GameCenterTests {
    private func code(_ proof: GameCenterProof, in world: World, by device: TestDevice = TestDevice()) async throws
        -> Int?
    {
        var credential = Credential(provider: .gameCenter)
        credential.gameCenter = proof
        return try await world.call(Endpoints.logIn, credential, by: device).code
    }

    @Test("IDP-11: a proof of Game Center's is accepted in its time, from one device, for the app's own bundle")
    func proofs() async throws {
        try await World.open(on: .sqlite) { world in
            let good = try world.idps.gameCenterProof(for: "alice")
            let device = TestDevice()
            #expect(try await code(good, in: world, by: device) == nil)
            #expect(try await code(good, in: world, by: device) == nil)
            // Whoever has seen it has not got it.
            #expect(try await code(good, in: world) == 3201)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", secondsAgo: 599), in: world) == nil)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", secondsAgo: 600), in: world) == 3201)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", secondsAgo: -121), in: world) == 3201)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", bundleID: "other"), in: world) == 3201)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", kind: "game"), in: world) == 3201)
            #expect(try await world.rowCounts()[0] == 1)
            #expect(
                try await world.call(Endpoints.logIn, Credential(provider: .gameCenter), by: TestDevice()).code == 3202)
        }
    }

    @Test("IDP-11: nothing but Game Center's own place tells its certificate")
    func places() async throws {
        try await World.open(on: .sqlite) { world in
            for url in [
                "http://static.gc.apple.com/public-key/gc-fake-1.cer",
                "https://static.gc.apple.com.evil.example/public-key/gc-fake-1.cer",
                "https://static.gc.apple.com@evil.example/public-key/gc-fake-1.cer",
                "https://evil.example#static.gc.apple.com/public-key/gc-fake-1.cer",
                "https://evil.example/static.gc.apple.com/public-key/gc-fake-1.cer",
                "https://static.gc.apple.com:8443/public-key/gc-fake-1.cer",
                "https://static.gc.apple.com/public-key/../evil.cer", "https://static.gc.apple.com/public-key/.cer",
                "https://static.gc.apple.com/public-key/a.cer?x=.cer",
                "https://static.gc.apple.com/public-key/a.cer#.cer",
                "https://other.apple.com/public-key/gc-fake-1.cer",
                "https://STATIC.gc.apple.com/public-key/gc-fake-1.cer",
                "https://sandbox.gc.apple.com/public-key/gc-fake-1.cer", "https://static.gc.apple.com/gc-fake-1.cer",
                "", "nonsense",
            ] {
                var proof = try world.idps.gameCenterProof(for: "alice")
                proof.publicKeyUrl = url
                #expect(try await code(proof, in: world) == 3201, "\(url)")
            }
            #expect(world.idps.requests(to: .gameCenter) == 0)
        }
    }

    @Test("IDP-11: a proof with one thing changed is none")
    func tampered() async throws {
        try await World.open(on: .sqlite) { world in
            let changes: [@Sendable (inout GameCenterProof) -> Void] = [
                { $0.playerId = "T:_bob" }, { $0.playerId = "G:_alice" }, { $0.playerId = "" },
                { $0.timestamp += 1 }, { $0.timestamp = .max }, { $0.timestamp = 0 },
                { $0.salt = Data("another".utf8).base64EncodedString() }, { $0.salt = "" }, { $0.salt = "%%%" },
                { $0.signature = "" }, { $0.signature = Data(repeating: 1, count: 256).base64EncodedString() },
                { $0.kind = .game }, { $0.kind = GameCenterProof.Kind("old") },
            ]
            for change in changes {
                var proof = try world.idps.gameCenterProof(for: "alice")
                change(&proof)
                #expect([3, 3201].contains(try await code(proof, in: world)))
            }
            #expect(try await world.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test("IDP-10, IDP-11: without a root nothing is trusted, and with another root nobody")
    func roots() async throws {
        try await World.open(on: .sqlite) { world in
            var configuration = ProviderConfiguration(kind: .gameCenter, clientIds: ["gatehouse-iosgamecenter"])
            for certificates in [nil, [], ["nonsense"]] as [[String]?] {
                configuration.trustedCertificates = certificates
                let wrong = configuration
                await #expect(throws: Refusal.self) {
                    try await world.administration.setIdentityProvider(.gameCenter, wrong, of: World.app)
                }
            }
            configuration.trustedCertificates = [try world.idps.strangersRoot()]
            configuration.origin = world.idps.origin
            try await world.administration.setIdentityProvider(.gameCenter, configuration, of: World.app)
            world.clock.advance(seconds: 2)
            #expect(try await code(world.idps.gameCenterProof(for: "alice"), in: world) == 3201)
        }
    }
}
