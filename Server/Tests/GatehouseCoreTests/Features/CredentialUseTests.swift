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
        try await TestCore.open { core in
            let credential = FakePeople.credential(.naver, of: "alice")
            let alice = try await core.device("phone").logIn(credential)
            for node in [core, try core.restarted()] {
                let thief = await refusal { try await node.device("thief").logIn(credential) }
                #expect(thief?.code == .authIDPLoginFailed)
                #expect(thief?.reason == .credentialRejected)
                let bob = try await node.player("bob", .twitter, on: "tablet")
                let mapping = await refusal { try await bob.run(AddMapping(credential: credential)) }
                #expect(mapping?.code == .authAddMappingFailed)
                #expect(mapping?.reason == .credentialRejected)
                #expect(try await node.device("phone").logIn(credential).user == alice.user)
            }
            #expect(core.callLog.lines(.mappingConflict).isEmpty)
        }
    }

    @Test("IDP-1: a token that a mapping has used is the device's, too")
    func mapped() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let credential = FakePeople.credential(.naver, of: "alice")
            _ = try await guest.run(AddMapping(credential: credential))
            for node in [core, try core.restarted()] {
                let thief = await refusal { try await node.device("thief").logIn(credential) }
                #expect(thief?.reason == .credentialRejected)
                #expect(try await node.device("phone").logIn(credential).user == guest.user)
            }
        }
    }

    @Test("IDP-1: a login that is refused uses nothing up: its token is the device's that logs in first")
    func refused() async throws {
        try await TestCore.open { core in
            let credential = FakePeople.credential(.naver, of: "alice")
            try await core.operator().run(SetStatus(status: .maintenance, message: [:]))
            #expect(await code { try await core.device("phone").logIn(credential) } == .authNotPlayable)
            try await core.operator().run(SetStatus(status: .inService, message: [:]))
            let alice = try await core.device("tablet").logIn(credential)
            #expect(await code { try await core.device("phone").logIn(credential) } == .authIDPLoginFailed)
            #expect(try await core.device("tablet").logIn(credential).user == alice.user)
        }
    }

    @Test("IDP-2, LNK-6: persons with one e-mail address are different members, and no login links them")
    func email() async throws {
        try await TestCore.open { core in
            let people = [
                try await core.player("alice", .naver), try await core.player("alice", .twitter),
                try await core.player("bob", .naver), try await core.player("bob", .twitter),
            ]
            #expect(Set(people.map(\.user)).count == 4)
            for player in people {
                #expect(try await core.member(player.user).mappings.map(\.provider) == [player.login.provider])
            }
            #expect(try await core.player("alice", .naver, on: "tablet").user == people[0].user)
        }
    }

    @Test(
        "IDP-1: of many devices that come with one token at once, one logs in, and it is forgotten with the token",
        arguments: Engine.available)
    func race(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let credential = FakePeople.credential(.naver, of: "alice")
            let results = await statuses(16) { number in
                _ = try await core.device("device\(number)").logIn(credential)
            }
            #expect(results.count { $0 == 200 } == 1)
            let late = await refusal { try await core.device("late").logIn(credential) }
            #expect(late?.auditEvent == "credential.replayed")
            let rows = {
                try await core.database.rows("SELECT COUNT(*) FROM used_credentials") { row in try row[0] as Int }
            }
            #expect(try await rows() == [1])
            core.clock.advance(days: 91)
            try await Sweeper(services: core.services).sweep()
            #expect(try await rows() == [0])
        }
    }

    @Test("INP-3: two subjects that only look alike lead to two members", arguments: Engine.available)
    func lookalikes(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            // The provider's answers are JSON: these are the letter with an accent in its two spellings.
            let names = [#"jos\u00e9"#, #"jose\u0301"#]
            let players = [
                try await core.player(names[0], on: "phone"), try await core.player(names[1], on: "tablet"),
            ]
            #expect(players[0].user != players[1].user)
            #expect(try await core.player(names[0], on: "console").user == players[0].user)
        }
    }
}
