import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Credentials that come a second time: from a device that has them, and from one that has seen them.
@Suite struct CredentialUseTests {
    @Test("IDP-1: a token that one device has used is refused on another, by every node, for logins and mappings")
    func otherDevice() async throws {
        try await Desk.open { desk in
            let credential = FakePeople.credential(.naver, of: "alice")
            let alice = try await desk.device("phone").logIn(credential)
            for node in [desk, try desk.restarted()] {
                let thief = await refusal { try await node.device("thief").logIn(credential) }
                #expect(thief?.code == .authIDPLoginFailed)
                #expect(thief?.reason == .credentialRejected)
                let bob = try await node.player("bob", .twitter, on: "tablet")
                let mapping = await refusal { try await bob.run(AddMapping(credential: credential)) }
                #expect(mapping?.code == .authAddMappingFailed)
                #expect(mapping?.reason == .credentialRejected)
                #expect(try await node.device("phone").logIn(credential).user == alice.user)
            }
            #expect(desk.journal.lines(.mappingConflict).isEmpty)
        }
    }

    @Test("IDP-1: a token that a mapping has used is the device's, too")
    func mapped() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            let credential = FakePeople.credential(.naver, of: "alice")
            _ = try await guest.run(AddMapping(credential: credential))
            for node in [desk, try desk.restarted()] {
                let thief = await refusal { try await node.device("thief").logIn(credential) }
                #expect(thief?.reason == .credentialRejected)
                #expect(try await node.device("phone").logIn(credential).user == guest.user)
            }
        }
    }

    @Test("IDP-1: a login that is refused uses nothing up: its token is the device's that logs in first")
    func refused() async throws {
        try await Desk.open { desk in
            let credential = FakePeople.credential(.naver, of: "alice")
            try await desk.operator().run(SetStatus(status: .maintenance, message: [:]))
            #expect(await code { try await desk.device("phone").logIn(credential) } == .authNotPlayable)
            try await desk.operator().run(SetStatus(status: .inService, message: [:]))
            let alice = try await desk.device("tablet").logIn(credential)
            #expect(await code { try await desk.device("phone").logIn(credential) } == .authIDPLoginFailed)
            #expect(try await desk.device("tablet").logIn(credential).user == alice.user)
        }
    }

    @Test("IDP-2, LNK-6: persons with one e-mail address are different members, and no login links them")
    func email() async throws {
        try await Desk.open { desk in
            let people = [
                try await desk.player("alice", .naver), try await desk.player("alice", .twitter),
                try await desk.player("bob", .naver), try await desk.player("bob", .twitter),
            ]
            #expect(Set(people.map(\.user)).count == 4)
            for player in people {
                #expect(try await desk.member(player.user).mappings.map(\.provider) == [player.login.provider])
            }
            #expect(try await desk.player("alice", .naver, on: "tablet").user == people[0].user)
        }
    }

    @Test(
        "IDP-1: of many devices that come with one token at once, one logs in, and it is forgotten with the token",
        arguments: Engine.available)
    func race(engine: Engine) async throws {
        try await Desk.open(engine) { desk in
            let credential = FakePeople.credential(.naver, of: "alice")
            let results = await statuses(16) { number in
                _ = try await desk.device("device\(number)").logIn(credential)
            }
            #expect(results.count { $0 == 200 } == 1)
            let late = await refusal { try await desk.device("late").logIn(credential) }
            #expect(late?.auditEvent == "credential.replayed")
            let rows = {
                try await desk.database.rows("SELECT COUNT(*) FROM used_credentials") { row in try row[0] as Int }
            }
            #expect(try await rows() == [1])
            desk.clock.advance(days: 91)
            try await Sweeper(services: desk.services).sweep()
            #expect(try await rows() == [0])
        }
    }

    @Test("INP-3: two subjects that only look alike lead to two members", arguments: Engine.available)
    func lookalikes(engine: Engine) async throws {
        try await Desk.open(engine) { desk in
            // The provider's answers are JSON: these are the letter with an accent in its two spellings.
            let names = [#"jos\u00e9"#, #"jose\u0301"#]
            let players = [
                try await desk.player(names[0], on: "phone"), try await desk.player(names[1], on: "tablet"),
            ]
            #expect(players[0].user != players[1].user)
            #expect(try await desk.player(names[0], on: "console").user == players[0].user)
        }
    }
}
