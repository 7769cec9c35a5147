import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@Suite(.serialized) struct RaceTests {
    @Test(
        "LOGIN-1: two hundred new devices that log in eight times at once are two hundred members",
        arguments: Engine.available)
    func newDevices(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let devices = (0..<200).map { _ in TestDevice() }
            let logins = try await withThrowingTaskGroup(of: (Int, UserID?).self) { group in
                for _ in 0..<8 {
                    for device in devices {
                        group.addTask {
                            let answer = try await world.logIn(device)
                            return (answer.status, try? answer.decoded(as: Login.self).member.userId)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(logins.count == 1_600)
            #expect(Set(logins.map(\.0)) == [200])
            #expect(Set(logins.compactMap(\.1)).count == 200)
            #expect(try await world.rowCounts() == [200, 200, 1_600, 0])
            #expect(world.audit.events.count(where: { $0 == "member.created" }) == 200)
        }
    }

    @Test("LOGIN-1: a device that logs in on two nodes at once is one member", arguments: Engine.available)
    func twoNodes(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            try await world.onSecondNode { second in
                let devices = (0..<40).map { _ in TestDevice() }
                let users = try await withThrowingTaskGroup(of: UserID.self) { group in
                    for number in 0..<6 {
                        for device in devices {
                            group.addTask { try await (number % 2 == 0 ? world : second).guest(device).member.userId }
                        }
                    }
                    return try await group.reduce(into: Set<UserID>()) { $0.insert($1) }
                }
                #expect(users.count == 40)
            }
        }
    }

    @Test("REL-6: one idempotency key used twenty times at once makes one session", arguments: Engine.available)
    func oneKey(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let headers = [HeaderNames.idempotencyKey: "0190aaaaaaaa-at-once"]
            let tokens = try await withThrowingTaskGroup(of: RefreshToken?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await world.logIn(device, headers: headers).decoded(as: Login.self).session.refreshToken
                    }
                }
                return try await group.reduce(into: Set<RefreshToken?>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(try await world.rowCounts() == [1, 1, 1, 1])
        }
    }

    @Test("SES-2: one proof used twenty times at once changes something once", arguments: Engine.available)
    func oneProof(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let proof = try device.proof("POST", TestCall.path(Endpoints.logIn.template), at: world.clock.now)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await world.logIn(device, headers: [HeaderNames.proof: proof]).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count(where: { $0 == 200 }) == 1)
            #expect(statuses.count(where: { $0 == 401 }) == 19)
            #expect(try await world.rowCounts() == [1, 1, 1, 0])
        }
    }

    @Test("SES-5: refreshes that race a logout leave nothing that works", arguments: Engine.available)
    func logoutAgainstRefresh(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            let renewed = try await withThrowingTaskGroup(of: AccessToken?.self) { group in
                for number in 0..<17 {
                    group.addTask {
                        if number == 8 {
                            #expect(try await world.logOut(device, login.session.refreshToken).status == 200)
                            return nil
                        }
                        let answer = try await world.refresh(device, login.session.refreshToken)
                        #expect([200, 401].contains(answer.status))
                        return try? answer.decoded(as: SessionRenewal.self).session.accessToken
                    }
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap { $0 } }
            }
            for token in renewed + [login.session.accessToken] {
                #expect(try await world.member(device, token).code == 3011)
            }
            #expect(try await world.refresh(device, login.session.refreshToken).code == 3011)
        }
    }

    @Test("Secrets rotated at once leave two that work", arguments: Engine.available)
    func rotations(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let secrets = try await withThrowingTaskGroup(of: SecretKey.self) { group in
                for _ in 0..<8 { group.addTask { try await world.run(RotateSecret()) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            var valid = 0
            for secret in secrets + [world.secret]
            where try await world.run(CheckSecret(secret: secret)) {
                valid += 1
            }
            #expect(valid == 2)
        }
    }
}
