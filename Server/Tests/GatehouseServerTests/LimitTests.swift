import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct LimitTests {
    @Test("New guests of one address are limited per app; returning ones pass", arguments: Engine.available)
    func newGuests(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.administration.setLimits(newGuests: 3, refusedProofs: nil, of: World.app)
            world.clock.advance(seconds: 1)
            let devices = (0..<3).map { _ in TestDevice() }
            for device in devices { #expect(try await world.logIn(device).status == 200) }
            let refused = try await world.logIn(TestDevice())
            #expect(refused.status == 429)
            #expect(refused.code == 8001)
            #expect(refused.reason == "too_many_requests")
            #expect(refused.headers[.retryAfter] == "20")
            for device in devices { #expect(try await world.logIn(device).status == 200) }
            #expect(try await world.logIn(TestDevice(), app: World.otherApp).status == 200)
            #expect(world.audit.events.contains("limit.reached"))

            world.clock.advance(seconds: 20)
            #expect(try await world.logIn(TestDevice()).status == 200)
            #expect(try await world.logIn(TestDevice()).status == 429)
            _ = try await world.administration.setLimits(newGuests: 0, refusedProofs: nil, of: World.app)
            world.clock.advance(seconds: 1)
            for _ in 0..<10 { #expect(try await world.logIn(TestDevice()).status == 200) }
        }
    }

    @Test("An address with too many refused proofs is not verified for, until its time has come")
    func refusedProofs() async throws {
        try await World.open(on: .sqlite) { world in
            _ = try await world.administration.setLimits(newGuests: nil, refusedProofs: 5, of: World.app)
            world.clock.advance(seconds: 1)
            let device = TestDevice()
            for _ in 0..<5 {
                #expect(try await world.logIn(device, headers: [HeaderNames.proof: "nonsense"]).status == 401)
            }
            let refused = try await world.logIn(device)
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "12")
            world.clock.advance(seconds: 12)
            #expect(try await world.logIn(device).status == 200)
        }
    }
}
