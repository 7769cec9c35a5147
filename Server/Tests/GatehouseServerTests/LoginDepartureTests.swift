import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// Browsers that go while the server asks the provider for what they have brought.
@Suite struct LoginDepartureTests {
    /// What comes of the request that the browser has not waited for.
    enum End: CaseIterable {
        case failure, nothing
    }

    /// Takes a browser back, which goes during the first request to the provider.
    private static func comeBack(_ back: Return, ending end: End, in world: World) async throws {
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        let actions = try world.actions { _, _ in
            beginning.yield()
            await Gate().wait()
            guard end == .failure else { throw CancellationError() }
            return OutgoingResponse(status: 503, body: Data())
        }
        let context = try await actions.context(in: world)
        let arrival = Task {
            try await actions.run(
                CompleteBrowserLogin(provider: .google, parameters: back.parameters),
                by: Actor(principal: .anyone(nil), door: .httpAPI), in: context)
        }
        for await _ in began { break }
        arrival.cancel()
        _ = try? await arrival.value
    }

    @Test("A login whose browser goes has ended, so that the game does not wait", arguments: End.allCases)
    func login(end: End) async throws {
        try await World.open(on: .sqlite) { world in
            let back = try await world.atPage(.google, "alice", by: TestDevice())
            try await Self.comeBack(back, ending: end, in: world)
            #expect(try await world.count("SELECT COUNT(*) FROM login_attempts WHERE status = 'failed'") == 1)
        }
    }

    @Test("A test login whose browser goes has a result, so that its page does not wait", arguments: End.allCases)
    func test(end: End) async throws {
        try await World.open(on: .sqlite) { world in
            let actions = Actions(services: try world.services())
            let (person, kim) = (OperatorID("kim"), Actor.operator("kim"))
            let context = try await actions.context(in: world)
            let begin = BeginTestLogin(
                provider: .google, region: nil, person: person, publicURL: World.origin, results: "/results")
            let departure = try await actions.run(begin, by: kim, in: context)
            let back = try world.atPage(url: #require(departure.url), "alice")
            try await Self.comeBack(back, ending: end, in: world)
            let read = ReadTestLogin(id: departure.id, provider: .google, person: person)
            guard case .shown(let result, _)? = try await actions.run(read, by: kim, in: context) else {
                Issue.record("the test has no result")
                return
            }
            #expect(result.sample == nil && result.failure?.word == "provider_unavailable")
        }
    }
}
