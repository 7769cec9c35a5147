import FakeProviders
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseServer

/// Bodies that are made to be expensive, at the doors.
@Suite struct HostileBodyTests {
    private static let bodies = [
        "{\"a" + String(repeating: "\u{301}\u{323}", count: 14_000) + "\":0}", String(repeating: "[", count: 60_000),
        String(repeating: " ", count: 60_000) + "[]",
    ]

    @Test("INP-1: a body is not looked at before the caller has shown a proof")
    func order() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            for body in Self.bodies {
                #expect(body.utf8.count <= RequestBody.maximumBytes)
                let answer = try await server.send(TestCall(path: TestCall.path(Endpoints.logIn.template), body: body))
                #expect(answer.reason == "proof_missing")
                let answered = try await server.send(
                    TestCall(
                        path: TestCall.path(Endpoints.ban.template), headers: ["X-Secret-Key": "gsk_x"], body: body))
                #expect(answered.code == 5)
                let own = try await server.send(.post, Endpoints.logIn.template, by: device, body: body)
                #expect(own.status == 400)
            }
        }
    }

    @Test("INP-3: a game server that asks for two subjects that only look alike gets both members")
    func subjects() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let names = ["jos\u{e9}", "jose\u{301}"]
            var users: [UserID] = []
            for name in names { users.append(try await server.logIn(.google, name).user) }
            let body = try TestServer.json(["idPIdList": names.map { server.idps.subject(of: $0, at: .google) }])
            let answer = try await server.tcgb(.post, "gateway/v1.3/apps/{a}/idps/google/members", body: body)
            #expect(users[0] != users[1])
            #expect(users.allSatisfy { answer.text.contains($0.rawValue) }, "\(answer.text)")
        }
    }
}
