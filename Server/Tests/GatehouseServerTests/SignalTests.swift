import FakeProviders
import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct SignalTests {
    private func send(
        _ provider: Provider, _ kind: String, of name: String, in world: World, claims: [String: JSONValue?] = [:],
        signedBy key: FakeSigningKey? = nil
    ) async throws -> TestAnswer {
        let (headers, body) = try world.idps.signal(provider, kind, of: name, claims: claims, signedBy: key)
        return try await send(headers, body, to: provider, in: world)
    }

    private func send(
        _ headers: [String: String], _ body: Data, to provider: Provider, in world: World
    ) async throws -> TestAnswer {
        try await world.send(
            TestCall(
                path: Endpoints.path(Endpoints.signal, of: provider, app: World.app), headers: headers,
                body: String(decoding: body, as: UTF8.self)))
    }

    @Test("Each provider's reports are read as what they say: a consent taken back, or an account gone")
    func events() async throws {
        try await World.open(on: .sqlite) { world in
            for provider in FakeProviders.signallers {
                let player = try await world.call(
                    Endpoints.logIn, world.idps.credential(provider, for: "alice"), by: TestDevice()
                ).decoded(as: Login.self)
                let device = TestDevice()
                let session = try await world.call(
                    Endpoints.logIn, world.idps.credential(provider, for: "alice"), by: device
                ).decoded(as: Login.self)
                if provider != .facebook {
                    #expect(try await send(provider, "consent-revoked", of: "alice", in: world).status == 200)
                    let ended = try await world.heartbeat(device, session.session.accessToken)
                    #expect(ended.code == 3011)
                    #expect(ended.reason == "consent_revoked")
                }
                world.clock.advance(seconds: 3_600)
                #expect(try await send(provider, "account-deleted", of: "alice", in: world).status == 200)
                #expect(try await world.report(player.member.userId).member.status == .pendingWithdrawal)
                #expect(try await world.history(player.member.userId).contains("provider.signal"))
            }
        }
    }

    @Test("A report counts once, and only from its provider")
    func verified() async throws {
        try await World.open(on: .sqlite) { world in
            let stranger = try FakeSigningKey()
            for provider in FakeProviders.signallers {
                let answer = try await world.call(
                    Endpoints.logIn, world.idps.credential(provider, for: "alice"), by: TestDevice())
                let user = try answer.decoded(as: Login.self).member.userId
                #expect(
                    try await send(provider, "account-deleted", of: "alice", in: world, signedBy: stranger).code == 5)
                #expect(try await world.report(user).member.status == .normal)
                let (headers, body) = try world.idps.signal(provider, "account-deleted", of: "alice")
                for _ in 0..<2 {
                    let taken = try await send(headers, body, to: provider, in: world)
                    #expect(taken.status == 200)
                    if provider == .facebook {
                        #expect(taken.text.contains("confirmation_code"))
                        #expect(taken.text.contains("\"url\""))
                    }
                }
                #expect(try await world.history(user).count { $0 == "provider.signal" } == 1)
                #expect(try await send(provider, "account-deleted", of: "nobody", in: world).status == 200)
            }
            for claims: [String: JSONValue?] in [
                ["iat": 1], ["jti": nil], ["aud": "other"], ["iss": "https://example.com"], ["events": "nonsense"],
                ["events": nil],
            ] {
                #expect(
                    try await send(.apple, "account-deleted", of: "alice", in: world, claims: claims).code == 5)
            }
            // Apple also sends reports about addresses, which are accepted but have no effect.
            let mail: [String: JSONValue?] = ["events": #"{"type":"email-disabled","sub":"alice"}"#]
            #expect(try await send(.apple, "", of: "alice", in: world, claims: mail).status == 200)
            for provider in [Provider.google, .gameCenter, .hangame, Provider("nobody")] {
                #expect(try await send([:], Data("{}".utf8), to: provider, in: world).code == 10)
            }
            for body in [
                "", "{}", "[", "signed_request=", "signed_request=a.b", "payload=1",
                String(repeating: "a", count: 70_000),
            ] {
                for provider in FakeProviders.signallers {
                    let answer = try await send([:], Data(body.utf8), to: provider, in: world)
                    #expect((400..<500).contains(answer.status), "\(provider) \(body.prefix(20)): \(answer.status)")
                }
            }
        }
    }

    @Test("IDP-9: a login's signed request is no report, and a report has its time")
    func ownForm() async throws {
        try await World.open(on: .sqlite) { world in
            let user = try await world.call(
                Endpoints.logIn, world.idps.credential(.facebook, for: "alice"), by: TestDevice()
            ).decoded(as: Login.self).member.userId
            let now = world.clock.now.milliseconds / 1_000
            for claims: [String: JSONValue?] in [
                ["code": "a-login's"], ["oauth_token": "a-token"], ["issued_at": 1_600_000_000], ["issued_at": nil],
                ["issued_at": .integer(now - 8 * 86_400)], ["issued_at": .integer(now + 3_600)],
            ] {
                #expect(
                    try await send(.facebook, "account-deleted", of: "alice", in: world, claims: claims).code == 5)
            }
            #expect(try await world.report(user).member.status == .normal)
            let late: [String: JSONValue?] = ["issued_at": .integer(now - 6 * 86_400)]
            #expect(
                try await send(.facebook, "account-deleted", of: "alice", in: world, claims: late).status == 200)
            #expect(try await world.report(user).member.status == .pendingWithdrawal)
        }
    }

    @Test("Who asks for the state of a report gets an answer for an app that there is, and 404 for another")
    func state() async throws {
        try await World.open(on: .sqlite) { world in
            for (app, status) in [(World.app, 200), (AppID("nobody"), 404)] {
                let path = Endpoints.path(Endpoints.signal, of: .facebook, app: app)
                let answer = try await world.send(TestCall(method: .get, path: path))
                #expect(answer.status == status, "\(app)")
            }
        }
    }
}
