import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `operators`, `operator_attempts`, `operator_grants`, `operator_invitations`, `operator_recovery_codes` and `operator_sessions`.
@Suite struct OperatorQueryTests {
    private static let kim = OperatorID("kim-id")
    private static let lee = OperatorID("lee-id")
    private static let missed = Refusal(.invalidParameter, "missed")

    static func insert(_ id: OperatorID, named name: String, in tx: Draft) throws {
        var person = Operator(id: id, name: name, createdAt: Tables.moment)
        person.preferences.zone = "Asia/Seoul"
        try OperatorQueries.insert(person, in: tx)
    }

    private static func both(in tx: Transaction) throws {
        try insert(kim, named: "kim", in: tx)
        try insert(lee, named: "lee", in: tx)
    }

    @Test("Attempts are counted up to the limit, until their time is over", arguments: Engine.available)
    func attempts(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            func count(_ hash: [UInt8] = Tables.bytes, at seconds: Int64 = 0) throws -> Bool {
                try OperatorAttemptQueries.count(
                    hash, limit: 2, at: Tables.moment + seconds, until: Tables.moment + seconds + 9, in: tx)
            }
            #expect(try [count(), count(at: 1), count(at: 2), count(at: 9)] == [true, true, false, false])
            #expect(try OperatorAttemptQueries.end(of: Tables.bytes, in: tx) == Tables.moment + 10)
            #expect(try OperatorAttemptQueries.end(of: [1], in: tx) == nil)
            try OperatorAttemptQueries.takeBack(Tables.bytes, in: tx)
            #expect(try [count(at: 9), count(at: 9), count([1], at: 9)] == [true, false, true])
            #expect(try [count(at: 18), count(at: 18), count(at: 18)] == [true, true, false])
            try OperatorAttemptQueries.delete(Tables.bytes, in: tx)
            #expect(try count(at: 18) && tx.count("operator_attempts") == 2)
        }
    }

    @Test(
        "Operators are read back with their grants and secrets, and a name is taken once", arguments: Engine.available)
    func people(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            #expect(try OperatorQueries.isEmpty(in: tx))
            try Self.both(in: tx)
            #expect(try OperatorQueries.isEmpty(in: tx))
            try OperatorQueries.setGrants([.everything: .viewer, .app(Tables.app): .owner], of: Self.kim, in: tx)
            try OperatorQueries.setGrants([.app(Tables.otherApp): .support], of: Self.lee, in: tx)
            try OperatorQueries.setGrants([.everything: .support], of: Self.kim, in: tx)
            try OperatorQueries.setCredentials(
                passwordHash: Tables.bytes, sealedSecret: [1], step: 7, of: Self.kim, in: tx)
            var preferences = OperatorPreferences()
            (preferences.language, preferences.theme, preferences.rows) = ("ko", .dark, 25)
            try OperatorQueries.set(preferences, of: Self.kim, in: tx)
            try OperatorQueries.setDisabled(true, Self.lee, in: tx)
            let found = try #require(try OperatorQueries.find(named: "kim", in: tx))
            #expect(found.person.grants == [.everything: .support] && found.person.preferences == preferences)
            #expect(found.person.isEnrolled && !found.person.isDisabled && found.person.createdAt == Tables.moment)
            #expect(found.credentials.passwordHash == Tables.bytes && found.credentials.sealedSecret == [1])
            #expect(found.credentials.lastStep == 7)
            #expect(try OperatorQueries.find(Self.kim, in: tx)?.person == found.person)
            let all = try OperatorQueries.all(in: tx)
            #expect(all.map(\.name) == ["kim", "lee"] && all[1].grants == [.app(Tables.otherApp): .support])
            #expect(all[1].isDisabled && !all[1].isEnrolled && all[1].preferences.zone == "Asia/Seoul")
            #expect(try !OperatorQueries.isEmpty(in: tx))
            func names(_ app: AppID, _ limit: Int = 9) throws -> [String] {
                try OperatorQueries.names(of: app, limit: limit, in: tx)
            }
            // Who may not sign in is named nowhere.
            #expect(try names(Tables.app) == ["kim"] && names(Tables.otherApp) == ["kim"])
            try OperatorQueries.setDisabled(false, Self.lee, in: tx)
            #expect(try names(Tables.app) == ["kim"] && names(Tables.otherApp) == ["kim", "lee"])
            #expect(try names(Tables.otherApp, 1) == ["kim"])
            #expect(try OperatorQueries.find(named: "nobody", in: tx) == nil)
            #expect(try OperatorQueries.find(named: Tables.text, in: tx) == nil)
            try OperatorQueries.setPassword([9], of: Self.kim, in: tx)
            #expect(try OperatorQueries.find(Self.kim, in: tx)?.credentials.passwordHash == [9])
            #expect(try OperatorQueries.find(Self.lee, in: tx)?.credentials.passwordHash == nil)
        }
        try await Tables.open(engine) { database in
            try await database.transact { tx in try Self.insert(Self.kim, named: "kim", in: tx) }
            await #expect(throws: OperatorRules.nameIsTaken) {
                try await database.transact { tx in try Self.insert(Self.lee, named: "kim", in: tx) }
            }
        }
    }

    @Test("A code's step is used once, and never again after a later one", arguments: Engine.available)
    func steps(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.transact { tx in
                try Self.both(in: tx)
                for (id, hash) in [(Self.kim, [1]), (Self.lee, [1])] as [(OperatorID, [UInt8])] {
                    try OperatorQueries.setCredentials(
                        passwordHash: hash, sealedSecret: [2], step: 0, of: id, in: tx)
                }
            }
            for (step, isTaken) in [(5, true), (5, false), (4, false), (6, true)] as [(Int64, Bool)] {
                let use = { @Sendable () async throws in
                    try await database.decide { tx in
                        try OperatorQueries.use(
                            step: step, of: Self.kim, passwordHash: [1], sealedSecret: [2], else: Self.missed, in: tx)
                    }
                }
                if isTaken { try await use() } else { await #expect(throws: Self.missed) { try await use() } }
            }
            let steps = try await database.read { tx in
                try OperatorQueries.all(in: tx).map { try OperatorQueries.find($0.id, in: tx)?.credentials.lastStep }
            }
            #expect(steps == [6, 0])
        }
    }

    @Test(
        "CON-10: no code is used with credentials that are others now, or by a person who is disabled",
        arguments: Engine.available)
    func changedCredentials(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.transact { tx in
                try Self.both(in: tx)
                try OperatorQueries.setCredentials(
                    passwordHash: [1], sealedSecret: [2], step: 0, of: Self.kim, in: tx)
            }
            let use = { @Sendable (step: Int64?, password: [UInt8], secret: [UInt8]) async throws in
                try await database.transact { tx in
                    try OperatorQueries.use(
                        step: step, of: Self.kim, passwordHash: password, sealedSecret: secret, else: Self.missed,
                        in: tx)
                }
            }
            for step in [5, nil] as [Int64?] {
                await #expect(throws: Self.missed) { try await use(step, [9], [2]) }
                await #expect(throws: Self.missed) { try await use(step, [1], [9]) }
            }
            try await use(nil, [1], [2])
            try await use(5, [1], [2])
            try await database.transact { tx in try OperatorQueries.setDisabled(true, Self.kim, in: tx) }
            await #expect(throws: Self.missed) { try await use(nil, [1], [2]) }
            try await database.transact { tx in
                try OperatorQueries.setDisabled(false, Self.kim, in: tx)
                try OperatorQueries.deleteCredentials(of: Self.kim, in: tx)
            }
            await #expect(throws: Self.missed) { try await use(6, [1], [2]) }
        }
    }

    @Test("CON-6: a recovery code is used once in twenty calls at the same time", arguments: Engine.available)
    func recoveryCodes(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.transact { tx in
                try Self.both(in: tx)
                for id in [Self.kim, Self.lee] {
                    try OperatorQueries.setRecoveryCodes([[1], [2], [3]], of: id, in: tx)
                }
            }
            let used = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let use: Void? = try? await database.decide { tx in
                            try OperatorQueries.useRecoveryCode([2], of: Self.kim, else: Self.missed, in: tx)
                        }
                        return use != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(used == 1)
            try await database.transact { tx in
                #expect(try OperatorQueries.recoveryCodes(of: Self.kim, in: tx) == 2)
                #expect(try OperatorQueries.recoveryCodes(of: Self.lee, in: tx) == 3)
                try OperatorQueries.setRecoveryCodes([[7]], of: Self.kim, in: tx)
                #expect(try OperatorQueries.recoveryCodes(of: Self.kim, in: tx) == 1)
            }
        }
    }

    @Test(
        "An invitation is used once and is then gone, and a new one voids the person's others",
        arguments: Engine.available)
    func invitations(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.transact { tx in
                try Self.both(in: tx)
                for (hash, id) in [([1], Self.kim), ([2], Self.kim), ([3], Self.lee)] as [([UInt8], OperatorID)] {
                    try OperatorQueries.insertInvitation(
                        hash, of: id, sealedSecret: Tables.bytes, until: Tables.moment + 60, in: tx)
                }
            }
            let use = { @Sendable () async throws in
                try await database.decide { tx in
                    try OperatorQueries.useInvitation([1], else: Self.missed, in: tx)
                }
            }
            try await use()
            await #expect(throws: Self.missed) { try await use() }
            try await database.transact { tx in
                try OperatorQueries.voidInvitations(of: Self.kim, in: tx)
                #expect(try OperatorQueries.invitation([1], in: tx) == nil)
                #expect(try OperatorQueries.invitation([2], in: tx) == nil)
                let open = try #require(try OperatorQueries.invitation([3], in: tx))
                #expect(open.id == Self.lee && open.sealedSecret == Tables.bytes)
                #expect(open.expiresAt == Tables.moment + 60)
            }
        }
    }

    private static func session(_ number: UInt8, of id: OperatorID, until end: Moment, in tx: Draft) throws {
        try OperatorSessionQueries.insert(
            OperatorSessionQueries.Row(
                id: "s\(number)", person: id, createdAt: Tables.moment, usedAt: Tables.moment + 1, expiresAt: end,
                elevatedUntil: Tables.moment + 600, address: "192.0.2.1", agent: Tables.text), tokenHash: [number],
            in: tx)
    }

    @Test(
        "Sessions are found by their hash, listed newest first, and ended one, others or all",
        arguments: Engine.available)
    func sessions(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for number in 1...4 as ClosedRange<UInt8> {
                try Self.session(number, of: Self.kim, until: .init(milliseconds: .max), in: tx)
            }
            try Self.session(5, of: Self.lee, until: Tables.moment, in: tx)
            try OperatorSessionQueries.touch([1], at: Tables.moment + 90, in: tx)
            let first = try #require(try OperatorSessionQueries.find([1], in: tx))
            #expect(first.id == "s1" && first.person == Self.kim && first.usedAt == Tables.moment + 90)
            #expect(first.agent == Tables.text && first.elevatedUntil == Tables.moment + 600)
            #expect(first.expiresAt == Moment(milliseconds: .max) && first.createdAt == Tables.moment)
            func ids(_ id: OperatorID) throws -> [String] {
                try OperatorSessionQueries.sessions(of: id, in: tx).map(\.id)
            }
            #expect(try ids(Self.kim) == ["s4", "s3", "s2", "s1"])
            try OperatorSessionQueries.delete(of: Self.kim, only: "s5", in: tx)
            try OperatorSessionQueries.delete(of: Self.kim, only: "s4", in: tx)
            try OperatorSessionQueries.delete([3], in: tx)
            #expect(try ids(Self.kim) == ["s2", "s1"])
            try OperatorSessionQueries.delete(of: Self.kim, but: "s1", in: tx)
            #expect(try ids(Self.kim) == ["s1"] && ids(Self.lee) == ["s5"])
            for id in [Self.kim, Self.lee] { try OperatorSessionQueries.delete(of: id, in: tx) }
            #expect(try tx.count("operator_sessions") == 0)
        }
    }
}
