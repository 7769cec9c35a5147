import FakeProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct LimitTests {
    @Test("New guests of one address are limited per app; returning ones pass")
    func newGuests() async throws {
        try await TestServer.open(on: .sqlite) { server in
            _ = try await server.run(SetLimits { $0.newGuestsPerMinute = 3 })
            server.clock.advance(seconds: 1)
            let devices = (0..<3).map { _ in TestDevice() }
            for device in devices { #expect(try await server.logIn(device).status == 200) }
            let refused = try await server.logIn(TestDevice())
            #expect(refused.status == 429)
            #expect(refused.code == 8001)
            #expect(refused.reason == "too_many_requests")
            #expect(refused.headers[.retryAfter] == "20")
            for device in devices { #expect(try await server.logIn(device).status == 200) }
            #expect(try await server.logIn(TestDevice(), app: TestServer.otherApp).status == 200)
            #expect(server.audit.events.contains("limit.reached"))
            server.clock.advance(seconds: 20)
            #expect(try await server.logIn(TestDevice()).status == 200)
        }
    }

    @Test("An address with too many refused proofs is not verified for, until its time has come")
    func refusedProofs() async throws {
        try await TestServer.open(on: .sqlite) { server in
            _ = try await server.run(SetLimits { $0.refusedProofsPerMinute = 5 })
            server.clock.advance(seconds: 1)
            let device = TestDevice()
            for _ in 0..<5 {
                #expect(try await server.logIn(device, headers: [HeaderNames.proof: "nonsense"]).status == 401)
            }
            let refused = try await server.logIn(device)
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "12")
            server.clock.advance(seconds: 12)
            #expect(try await server.logIn(device).status == 200)
        }
    }

    @Test("INP-2: calls that change something are limited for each device, and reading calls are not")
    func changes() async throws {
        try await TestServer.open(on: .sqlite) { server in
            _ = try await server.run(SetLimits { $0.changesPerMinute = 2 })
            server.clock.advance(seconds: 1)
            let player = try await server.logIn(.google, "alice")
            #expect(try await server.refresh(player.device, player.login.session.refreshToken).status == 200)
            let refused = try await server.refresh(player.device, player.login.session.refreshToken)
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "30")
            #expect(refused.error?.message == "Too many requests from this device.")
            #expect(try await server.heartbeat(player.device, player.access).status == 200)
        }
    }
}
