import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Exchanges that are in each other's way, and in the way of logins and withdrawals: one member, never two, and one device.
@Suite struct LegacyRaceTests {
    @Test("Of fifty devices that claim one legacy id at once, one gets it", arguments: Engine.available, [true, false])
    func fifty(engine: Engine, isImported: Bool) async throws {
        try await OldSystem.open(engine) { old in
            let user = isImported ? try await old.add("p1") : nil
            let nodes = [old, try old.restarted()]
            let tokens = try (0..<50).map { _ in try old.token("p1") }
            let reasons = try await together(50) { number in
                await nodes[number % 2].reason(tokens[number], on: "device\(number)", from: "10.0.\(number).1")
            }
            #expect(reasons.count { $0 == nil } == 1)
            #expect(reasons.count { $0 == .legacyClaimed } == 49, "\(reasons)")
            let member = try #require(try await old.member("p1"))
            #expect(user == nil || member.user == user)
            #expect(try await old.core.count("SELECT COUNT(*) FROM members") == 1)
            #expect(try await old.core.history(of: member.user).count { $0 == .legacyClaimed } == 1)
            try await old.core.expectInvariants()
        }
    }

    @Test(
        "A device that asks many times at once gets one account, and the same one each time",
        arguments: Engine.available)
    func sameDevice(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            let tokens = try (0..<10).map { _ in try old.token("p1") }
            let users = try await together(10) { number in try await old.migrate(tokens[number]).user }
            #expect(Set(users).count == 1)
            #expect(try await old.core.count("SELECT COUNT(*) FROM members") == 1)
            try await old.core.expectInvariants()
        }
    }

    @Test("One token on many devices at once belongs to one of them", arguments: Engine.available)
    func sameToken(engine: Engine) async throws {
        try await OldSystem.open(engine, .firebase, { $0.secondClaims = .move }) { old in
            try await old.add("p1")
            let token = try old.token("p1")
            let reasons = try await together(10) { number in await old.reason(token, on: "device\(number)") }
            #expect(reasons.count { $0 == nil } == 1)
            #expect(reasons.count { $0 == .credentialRejected } == 9, "\(reasons)")
        }
    }

    @Test("An exchange beside a first login of the same device leaves one guest on it", arguments: Engine.available)
    func besideLogin(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            for number in 0..<8 {
                let user = try await old.add("p\(number)")
                let token = try old.token("p\(number)")
                let outcomes = try await together(2) { turn -> UserID? in
                    if turn == 0 { return try await old.core.guest("device\(number)").user }
                    return try? await old.migrate(token, on: "device\(number)").user
                }
                let guest = try await old.core.guest("device\(number)").user
                #expect(outcomes[0] == guest)
                #expect(outcomes[1] == nil || outcomes[1] == user && guest == user)
                try await old.core.expectInvariants()
            }
        }
    }

    @Test("An exchange beside a login with the member's provider leads to the same member", arguments: Engine.available)
    func besideProvider(engine: Engine) async throws {
        try await OldSystem.open(engine, .firebase, { $0.providers = ["oidc.naver": .naver] }) { old in
            for number in 0..<8 {
                let name = "alice\(number)"
                let user = try await old.add("p\(number)", identities: [.naver(name)])
                let token = try old.token("p\(number)", naver: name)
                let users = try await together(2) { turn in
                    if turn == 0 { return try await old.core.player(name, on: "tablet").user }
                    return try await old.migrate(token, on: "device\(number)").user
                }
                #expect(users == [user, user])
                #expect(try await old.core.count("SELECT COUNT(*) FROM members") == number + 1)
                #expect(try await old.core.history(of: user).count { $0 == .legacyClaimed } == 1)
                try await old.core.expectInvariants()
            }
        }
    }

    @Test("An exchange beside the withdrawal of its member brings nobody back", arguments: Engine.available)
    func besideWithdrawal(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            for number in 0..<8 {
                let user = try await old.add("p\(number)")
                let token = try old.token("p\(number)")
                _ = try await together(2) { turn in
                    if turn == 0 { return try await old.core.operator().run(WithdrawMember(user: user)) }
                    _ = try? await old.migrate(token, on: "device\(number)")
                }
                #expect(try await old.core.member(user).status == .withdrawn)
                let later = await code { try await old.migrate(old.token("p\(number)"), on: "device\(number)") }
                #expect(later == .invalidMember)
                #expect(try await old.member("p\(number)") == nil)
                try await old.core.expectInvariants()
            }
        }
    }

    @Test("An exchange beside the import of its record makes one member of it", arguments: Engine.available)
    func besideImport(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            for number in 0..<8 {
                let token = try old.token("p\(number)")
                let outcomes = try await together(2) { turn -> UserID? in
                    if turn == 0 { return try? await old.add("p\(number)") }
                    return try await old.migrate(token, on: "device\(number)").user
                }
                let member = try await old.member("p\(number)")
                #expect(member?.user == outcomes[1])
                // The import has found the member of the exchange, or has brought it.
                #expect(outcomes[0] == nil || outcomes[0] == outcomes[1])
                #expect(try await old.core.count("SELECT COUNT(*) FROM members") == number + 1)
                try await old.core.expectInvariants()
            }
        }
    }
}
