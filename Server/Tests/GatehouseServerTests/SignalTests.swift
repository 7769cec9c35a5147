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
        _ provider: Provider, _ kind: String, of name: String, in server: TestServer,
        claims: [String: JSONValue?] = [:],
        signedBy key: FakeSigningKey? = nil
    ) async throws -> TestAnswer {
        let (headers, body) = try server.idps.signal(provider, kind, of: name, claims: claims, signedBy: key)
        return try await send(headers, body, to: provider, in: server)
    }

    private func send(
        _ headers: [String: String], _ body: Data, to provider: Provider, in server: TestServer
    ) async throws -> TestAnswer {
        try await server.send(
            TestCall(
                path: Endpoints.path(Endpoints.signal, of: provider, app: TestServer.app), headers: headers,
                body: String(decoding: body, as: UTF8.self)))
    }

    @Test("Each provider's reports are read as what they say: a consent taken back, or an account gone")
    func events() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for provider in FakeProviders.signallers {
                let player = try await server.call(
                    Endpoints.logIn, server.idps.credential(provider, for: "alice"), by: TestDevice()
                ).decoded(as: Login.self)
                let device = TestDevice()
                let session = try await server.call(
                    Endpoints.logIn, server.idps.credential(provider, for: "alice"), by: device
                ).decoded(as: Login.self)
                if provider != .facebook {
                    #expect(try await send(provider, "consent-revoked", of: "alice", in: server).status == 200)
                    let ended = try await server.heartbeat(device, session.session.accessToken)
                    #expect(ended.code == 3011)
                    #expect(ended.reason == "consent_revoked")
                }
                server.clock.advance(seconds: 3_600)
                #expect(try await send(provider, "account-deleted", of: "alice", in: server).status == 200)
                #expect(try await server.report(player.member.userId).member.status == .pendingWithdrawal)
                #expect(try await server.history(player.member.userId).contains("provider.signal"))
            }
        }
    }

    @Test("A report counts once, and only from its provider")
    func verified() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let stranger = try FakeSigningKey()
            for provider in FakeProviders.signallers {
                let answer = try await server.call(
                    Endpoints.logIn, server.idps.credential(provider, for: "alice"), by: TestDevice())
                let user = try answer.decoded(as: Login.self).member.userId
                #expect(
                    try await send(provider, "account-deleted", of: "alice", in: server, signedBy: stranger).code == 5)
                #expect(try await server.report(user).member.status == .normal)
                let (headers, body) = try server.idps.signal(provider, "account-deleted", of: "alice")
                for _ in 0..<2 {
                    let taken = try await send(headers, body, to: provider, in: server)
                    #expect(taken.status == 200)
                    if provider == .facebook {
                        #expect(taken.text.contains("confirmation_code"))
                        #expect(taken.text.contains("\"url\""))
                    }
                }
                #expect(try await server.history(user).count { $0 == "provider.signal" } == 1)
                #expect(try await send(provider, "account-deleted", of: "nobody", in: server).status == 200)
            }
            for claims: [String: JSONValue?] in [
                ["iat": 1], ["jti": nil], ["aud": "other"], ["iss": "https://example.com"], ["events": "nonsense"],
                ["events": nil],
            ] {
                #expect(
                    try await send(.apple, "account-deleted", of: "alice", in: server, claims: claims).code == 5)
            }
            // Apple also sends reports about addresses, which are accepted but have no effect.
            let mail: [String: JSONValue?] = ["events": #"{"type":"email-disabled","sub":"alice"}"#]
            #expect(try await send(.apple, "", of: "alice", in: server, claims: mail).status == 200)
            for provider in [Provider.google, .gameCenter, .hangame, Provider("nobody")] {
                #expect(try await send([:], Data("{}".utf8), to: provider, in: server).code == 10)
            }
            for body in [
                "", "{}", "[", "signed_request=", "signed_request=a.b", "payload=1",
                String(repeating: "a", count: 70_000),
            ] {
                for provider in FakeProviders.signallers {
                    let answer = try await send([:], Data(body.utf8), to: provider, in: server)
                    #expect((400..<500).contains(answer.status), "\(provider) \(body.prefix(20)): \(answer.status)")
                }
            }
        }
    }

    @Test("IDP-9: a login's signed request is no report, and a report has its time")
    func ownForm() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let user = try await server.call(
                Endpoints.logIn, server.idps.credential(.facebook, for: "alice"), by: TestDevice()
            ).decoded(as: Login.self).member.userId
            let now = server.clock.now.milliseconds / 1_000
            for claims: [String: JSONValue?] in [
                ["code": "a-login's"], ["oauth_token": "a-token"], ["issued_at": 1_600_000_000], ["issued_at": nil],
                ["issued_at": .integer(now - 8 * 86_400)], ["issued_at": .integer(now + 3_600)],
            ] {
                #expect(
                    try await send(.facebook, "account-deleted", of: "alice", in: server, claims: claims).code == 5)
            }
            #expect(try await server.report(user).member.status == .normal)
            let late: [String: JSONValue?] = ["issued_at": .integer(now - 6 * 86_400)]
            #expect(
                try await send(.facebook, "account-deleted", of: "alice", in: server, claims: late).status == 200)
            #expect(try await server.report(user).member.status == .pendingWithdrawal)
        }
    }

    @Test("Who asks for the state of a report gets an answer for an app that there is, and 404 for another")
    func state() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for (app, status) in [(TestServer.app, 200), (AppID("nobody"), 404)] {
                let path = Endpoints.path(Endpoints.signal, of: .facebook, app: app)
                let answer = try await server.send(TestCall(method: .get, path: path))
                #expect(answer.status == status, "\(app)")
            }
        }
    }
}
