import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Races over what is unique or counts once, on two nodes with separate connections.
@Suite(.serialized) struct RaceTests {
    @Test(
        "LOGIN-1: a hundred new devices that log in eight times at once are a hundred members",
        arguments: Engine.available)
    func newDevices(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let users = try await together(800) { number in
                try await (number % 2 == 0 ? core : second).guest("device\(number / 8)").user
            }
            #expect(Set(users).count == 100)
            for (table, rows) in ["members": 100, "identities": 100, "sessions": 800] {
                #expect(try await core.count(SQL(stringLiteral: "SELECT COUNT(*) FROM \(table)")) == rows)
            }
            let created = core.callLog.lines(.memberCreated) + second.callLog.lines(.memberCreated)
            #expect(created.count == 100)
        }
    }

    @Test("REL-6: one idempotency key used twenty times at once makes one session", arguments: Engine.available)
    func oneKey(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let tokens = try await together(20) { number in
                try await (number % 2 == 0 ? core : second).device("phone").logIn(once: "1").login.session.refreshToken
            }
            #expect(Set(tokens).count == 1)
            #expect(try await core.count("SELECT COUNT(*) FROM sessions") == 1)
        }
    }

    @Test("SES-2: one proof used twenty times at once changes something once", arguments: Engine.available)
    func oneProof(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let key = core.device("phone").key
            let proof = Caller.proof(by: key, at: core.clock.now)
            let codes = try await together(20) { number in
                let caller = (number % 2 == 0 ? core : second).device("phone").caller
                return await code {
                    try await caller.run(LogIn(credential: Credential(provider: .guest)), proof: proof)
                }
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == .authAuthenticationServerError } == 19, "\(codes)")
            #expect(try await core.count("SELECT COUNT(*) FROM sessions") == 1)
        }
    }

    @Test("SES-5: refreshes that race a logout leave nothing that works", arguments: Engine.available)
    func logoutAgainstRefresh(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let guest = try await core.guest()
            let renewed = try await together(17) { number -> SessionTokens? in
                let holder = guest.on(number % 2 == 0 ? core : second).holder
                if number == 8 {
                    try await holder.run(LogOut())
                    return nil
                }
                do {
                    return try await holder.run(RefreshSession()).session
                } catch let refusal as Refusal {
                    #expect(refusal.code == .authInvalidGatehouseToken)
                    return nil
                }
            }
            for session in renewed.compactMap(\.self) + [guest.login.session] {
                var player = guest
                player.login.session = session
                #expect(await player.sessionEnd == .loggedOut)
            }
            #expect(await code { try await guest.holder.run(RefreshSession()) } == .authInvalidGatehouseToken)
        }
    }

    @Test("KEY-1: secrets rotated at once leave two that work", arguments: Engine.available)
    func rotations(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let secrets = try await together(8) { number in
                try await (number % 2 == 0 ? core : second).operator().run(CreateSecret())
            }
            var valid = 0
            for secret in secrets where try await core.operator().run(CheckSecret(secret: secret)) { valid += 1 }
            #expect(valid == 2)
        }
    }
}
