import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// The way into the console, over HTTP.
@Suite struct SignInConsoleTests {
    @Test(
        "UI-SIGN-1: an invited person enrols with the printed link, and the link is good once",
        arguments: Engine.ofDoors)
    func enrolment(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let token = try await world.administration.createOperator("kim", grants: ["*": "owner"])
            let kim = ConsoleBrowser(world: world, person: "kim")
            let done = try await kim.enrol("/console/enrol/\(token)", ["language": "ko", "zone": "Asia/Seoul"])
            #expect(done.status == 200)
            #expect(kim.recoveryCodes.count == 10 && Set(kim.recoveryCodes).count == 10)
            let home = try await kim.get("/console")
            #expect(home.status == 200 && home.text.contains("Game") && home.text.contains("KST"))
            #expect(home.html.contains(#"<html lang="ko""#))
            #expect(try await world.stranger.get("/console/enrol/\(token)").status == 410)
        }
    }

    @Test(
        "A support person bans a member by form, confirmation and result, and the developer reads who did it",
        arguments: Engine.ofDoors)
    func deed(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let user = try await world.guest(TestDevice()).member.userId
            let kim = try await world.person("kim", .support)
            let page = try await kim.perform("member.banned", ["user": user.rawValue], ["length": "3d"])
            #expect(page.status == 200 && page.result != nil, "\(page.text)")
            let developer = try await world.developer()
            #expect(try await developer.get("/console/apps/game/members/\(user)").status == 200)
        }
    }
}
