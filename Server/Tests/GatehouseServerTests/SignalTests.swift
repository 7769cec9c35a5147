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

    @Test(
        "A provider that reports a consent taken back ends the sessions; one that reports an account gone, the mapping",
        arguments: Engine.available)
    func events(engine: Engine) async throws {
        try await World.open(on: engine) { world in
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
                    // The person may log in again, to the same member.
                    let again = try await world.call(
                        Endpoints.logIn, world.idps.credential(provider, for: "alice"), by: device
                    ).decoded(as: Login.self)
                    #expect(again.member.userId == player.member.userId)
                }
                world.clock.advance(seconds: 3_600)
                #expect(try await send(provider, "account-deleted", of: "alice", in: world).status == 200)
                #expect(try await world.report(player.member.userId).member.status == .pendingWithdrawal)
                #expect(try await world.history(player.member.userId).contains("provider.signal"))

                // A member with another identity can continue.
                let both = try await world.logIn(.google, "both-\(provider)")
                _ = try await world.call(
                    Endpoints.addMapping, world.idps.credential(provider, for: "both"), by: both)
                #expect(try await send(provider, "account-deleted", of: "both", in: world).status == 200)
                let member = try await world.report(both.user).member
                #expect(member.status == .normal)
                #expect(member.mappings.map(\.provider) == [.google])
            }
        }
    }

    @Test("A report counts once, and only from its provider", arguments: Engine.available)
    func verified(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let stranger = OpenIDTests.stranger
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

    @Test("IDP-9: a login's signed request is no report, and a report has its time", arguments: Engine.available)
    func ownForm(engine: Engine) async throws {
        try await World.open(on: engine) { world in
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

    @Test("What a report leads to is the app's policy")
    func policy() async throws {
        try await World.open(on: .sqlite) { world in
            _ = try await world.run(
                ChangeAccountPolicy { policy in
                    policy.signals.accountDeleted = .record
                    policy.signals.consentRevoked = .remove
                })
            world.clock.advance(seconds: 2)
            let player = try await world.logIn(.apple, "alice")
            #expect(try await send(.apple, "account-deleted", of: "alice", in: world).status == 200)
            #expect(try await world.heartbeat(player.device, player.access).status == 200)
            #expect(try await send(.apple, "consent-revoked", of: "alice", in: world).status == 200)
            #expect(try await world.report(player.user).member.status == .pendingWithdrawal)
        }
    }
}
