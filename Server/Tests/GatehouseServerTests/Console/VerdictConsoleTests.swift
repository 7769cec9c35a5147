import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// What the first lines of a page say of its subject.
@Suite struct VerdictConsoleTests {
    private static let app = "/console/apps/\(World.app)"

    @Test("The head of a member's page says that maintenance keeps the player out")
    func maintenance() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .operator)
            let user = try await world.guest(TestDevice()).member.userId
            let page = "\(Self.app)/members/\(user)"
            #expect(try await kim.get(page).text.contains("Normal The member can play."))
            try await world.administration.setStatus(.maintenance, message: [:], of: World.app)
            world.clock.advance(seconds: 1)
            for path in [page, "\(page)/text"] {
                let shown = try await kim.get(path)
                #expect(!shown.text.contains("The member can play."), "\(shown.text)")
                #expect(shown.text.contains("The app: Maintenance"), "\(shown.text)")
            }
        }
    }
}
