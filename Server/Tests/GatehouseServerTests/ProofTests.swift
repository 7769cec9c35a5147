import Crypto
import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct ProofTests {
    @Test("SES-10: a wrong proof is refused with a reason, audited, and writes nothing")
    func wrongProof() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let path = TestCall.path(Endpoints.logIn.template)
            let proof = try device.proof("POST", path, at: server.clock.now, signedBy: P256.Signing.PrivateKey())
            let answer = try await server.logIn(device, headers: [HeaderNames.proof: proof])
            #expect(answer.status == 401)
            #expect(answer.code == 3201)
            #expect(answer.reason == "proof_malformed")
            #expect(server.audit.events == ["proof.refused"])
            #expect(!answer.text.contains(proof))
            #expect(!server.audit.text.contains(proof))
            #expect(try await server.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test("A call without a proof, or with two, is refused")
    func missingProof() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let answer = try await server.send(
                TestCall(path: TestCall.path(Endpoints.logIn.template), body: #"{"provider":"guest"}"#))
            #expect(answer.status == 401)
            #expect(answer.code == 3201)
            #expect(answer.reason == "proof_missing")
            #expect(answer.headers[.wwwAuthenticate] == #"DPoP error="invalid_dpop_proof", algs="ES256""#)
        }
    }

    @Test("A stale proof's refusal tells the server's time, and a proof by that time is accepted")
    func wrongClock() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let path = TestCall.path(Endpoints.logIn.template)
            for years in [-10, 10] {
                let wrong = server.clock.now.adding(seconds: Int64(years) * 31_536_000)
                let refused = try await server.logIn(
                    device, headers: [HeaderNames.proof: try device.proof("POST", path, at: wrong)])
                #expect(refused.reason == "proof_stale")
                let date = try #require(refused.details?.serverDate)
                #expect(date == server.clock.now.milliseconds)
                let right = try device.proof("POST", path, at: Moment(milliseconds: date))
                #expect(try await server.logIn(device, headers: [HeaderNames.proof: right]).status == 200)
            }
        }
    }

    @Test("SES-2: a proof counts once, on every node and for every kind of call", arguments: Engine.available)
    func replay(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let device = TestDevice()
            let loginPath = TestCall.path(Endpoints.logIn.template)
            let loginProof = try device.proof("POST", loginPath, at: server.clock.now)
            let first = try await server.logIn(device, headers: [HeaderNames.proof: loginProof])
            let login = try first.decoded(as: Login.self)
            let refresh = try #require(login.session.refreshToken)
            server.audit.clear()

            let replayed = try await server.logIn(device, headers: [HeaderNames.proof: loginProof])
            #expect(replayed.status == 401)
            #expect(replayed.code == 3201)
            #expect(replayed.reason == "proof_replayed")

            let memberPath = TestCall.path(Endpoints.member.template)
            let memberProof = try device.proof(
                "GET", memberPath, token: login.session.accessToken.secretValue, at: server.clock.now)
            for expected in [200, 401] {
                let answer = try await server.send(
                    .get, Endpoints.member.template, by: device, token: login.session.accessToken.secretValue,
                    headers: [HeaderNames.proof: memberProof])
                #expect(answer.status == expected)
            }

            let refreshPath = TestCall.path(Endpoints.refreshSession.template)
            let refreshProof = try device.proof("POST", refreshPath, token: refresh.secretValue, at: server.clock.now)
            @Sendable func expectRefresh(_ server: TestServer, _ status: Int) async throws {
                let answer = try await server.send(
                    .post, Endpoints.refreshSession.template, by: device, token: refresh.secretValue,
                    headers: [HeaderNames.proof: refreshProof])
                #expect(answer.status == status)
            }
            try await expectRefresh(server, 200)
            try await server.onSecondNode { try await expectRefresh($0, 401) }
            try await expectRefresh(server, 401)
            #expect(server.audit.events.allSatisfy { $0 == "proof.refused" })
            #expect(server.audit.events.count == 4)
        }
    }
}
