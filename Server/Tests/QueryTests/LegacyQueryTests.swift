import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `legacy_members`, `legacy_devices` and `legacy_erased`.
@Suite struct LegacyQueryTests {
    private static let (user, neighbour) = (MemberQueryTests.user, MemberQueryTests.neighbour)
    private static let key = KeyThumbprint(Tables.text)

    private static func member(_ id: String, _ user: UserID = user, source: String = "old") -> LegacyMember {
        var member = LegacyMember(source: source, legacyID: id, user: user, run: "run-1", importedAt: Tables.moment)
        member.digest = Tables.bytes
        member.validSince = Tables.moment + 7
        member.hasLostIdentities = true
        return member
    }

    /// One legacy id of two members, two sources and two apps each.
    private static func insertAll(in tx: Draft) throws {
        try LegacyQueries.insert(member(Tables.text), app: Tables.app, in: tx)
        try LegacyQueries.insert(member("b", neighbour), app: Tables.app, in: tx)
        try LegacyQueries.insert(member(Tables.text, neighbour, source: "other"), app: Tables.app, in: tx)
        try LegacyQueries.insert(member(Tables.text, neighbour), app: Tables.otherApp, in: tx)
    }

    private static func found(
        _ id: String = Tables.text, source: String = "old", app: AppID = Tables.app, in tx: Reader
    ) throws -> LegacyMember? {
        try LegacyQueries.member(id, source: source, app: app, in: tx)
    }

    @Test("A legacy id is read back with everything, in its source and its app", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let plain = LegacyMember(source: "new", legacyID: "c", user: Self.user, importedAt: Tables.moment + 1)
            try LegacyQueries.insert(plain, app: Tables.app, in: tx)
            #expect(try Self.found(in: tx) == Self.member(Tables.text))
            #expect(try Self.found("c", source: "new", in: tx) == plain)
            #expect(try Self.found("c", in: tx) == nil)
            #expect(try Self.found(source: "other", in: tx)?.user == Self.neighbour)
            #expect(try Self.found(app: Tables.otherApp, in: tx)?.user == Self.neighbour)
            let of = { (user: UserID) in
                try LegacyQueries.member(of: user, source: "old", app: Tables.app, in: tx)?.legacyID
            }
            #expect(try of(Self.user) == Tables.text)
            #expect(try of(Self.neighbour) == "b")
            #expect(try of(Tables.nobody) == nil)
            let all = try LegacyQueries.members(of: Self.user, app: Tables.app, in: tx)
            #expect(all == [plain, Self.member(Tables.text)])
            let named = { (id: String, app: AppID) in
                try LegacyQueries.members(named: id, app: app, in: tx).map(\.source)
            }
            #expect(try named(Tables.text, Tables.app) == ["old", "other"])
            #expect(try named(Tables.text, Tables.otherApp) == ["old"])
            #expect(try named("B", Tables.app).isEmpty)
        }
    }

    @Test("Many legacy ids and many members are looked up at once", arguments: Engine.available)
    func many(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let ids = [Tables.text, "b"] + (0..<300).map { "unknown-\($0)" }
            let found = try LegacyQueries.members(ids, source: "old", app: Tables.app, in: tx)
            #expect(Set(found.map(\.user)) == [Self.user, Self.neighbour] && found.count == 2)
            let users = [Self.neighbour, Tables.nobody, Self.user]
            let members = try LegacyQueries.members(of: users, source: "old", app: Tables.app, in: tx)
            #expect(Set(members.map(\.legacyID)) == [Tables.text, "b"] && members.count == 2)
            #expect(try LegacyQueries.members([], source: "old", app: Tables.app, in: tx).isEmpty)
            let run = { (last: UserID?, limit: Int) in
                try LegacyQueries.members(of: "run-1", app: Tables.app, after: last, limit: limit, in: tx)
            }
            #expect(try run(nil, 1).map(\.user) == [Self.user])
            #expect(try run(Self.user, 9).map(\.user) == [Self.neighbour, Self.neighbour])
            #expect(try LegacyQueries.members(of: "run-2", app: Tables.app, after: nil, limit: 9, in: tx).isEmpty)
        }
    }

    @Test("A legacy id has one member, and a member one id of a source", arguments: Engine.available)
    func unique(engine: Engine) async throws {
        for (id, user) in [(Tables.text, Tables.nobody), ("z", Self.user)] {
            await #expect(throws: StorageError.conflict) {
                try await Tables.transact(engine) { tx in
                    try Self.insertAll(in: tx)
                    try LegacyQueries.insert(Self.member(id, user), app: Tables.app, in: tx)
                }
            }
        }
    }

    @Test("A later record is written beside the claim, for this legacy id alone", arguments: Engine.available)
    func update(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            try LegacyQueries.claim(
                Self.member(Tables.text), by: Self.key, app: Tables.app, at: Tables.moment + 3, in: tx)
            var member = Self.member(Tables.text)
            (member.digest, member.validSince, member.hasLostIdentities) = ([1], nil, false)
            try LegacyQueries.update(member, app: Tables.app, in: tx)
            (member.claimedAt, member.claimedKey) = (Tables.moment + 3, Self.key)
            #expect(try Self.found(in: tx) == member)
            #expect(try Self.found("b", in: tx) == Self.member("b", Self.neighbour))
            #expect(try Self.found(source: "other", in: tx)?.digest == Tables.bytes)
            #expect(try Self.found(app: Tables.otherApp, in: tx)?.claimedKey == nil)
        }
    }

    @Test("A claim is written unless another one was, and can be released", arguments: Engine.available)
    func claims(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let release = { try LegacyQueries.release(Tables.text, source: "old", app: Tables.app, in: tx) }
            #expect(try !release())
            try LegacyQueries.claim(
                Self.member(Tables.text), by: Self.key, app: Tables.app, at: Tables.moment + 3, in: tx)
            let first = try #require(try Self.found(in: tx))
            #expect(first.claimedKey == Self.key && first.claimedAt == Tables.moment + 3)
            try LegacyQueries.claim(first, by: KeyThumbprint("k"), app: Tables.app, at: Tables.moment + 4, in: tx)
            #expect(try Self.found(in: tx)?.claimedKey == KeyThumbprint("k"))
            #expect(try release())
            #expect(try Self.found(in: tx) == Self.member(Tables.text))
        }
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try Self.insertAll(in: tx)
                let seen = Self.member(Tables.text)
                for key in ["one", "two"] {
                    try LegacyQueries.claim(
                        seen, by: KeyThumbprint(key), app: Tables.app, at: Tables.moment, in: tx)
                }
            }
        }
    }

    @Test("Ids of devices lead to their members, by kind, source and app", arguments: Engine.available)
    func devices(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let insert = { (hash: [UInt8], kind: String, user: UserID, source: String, app: AppID) in
                try LegacyQueries.insertDevice(hash, kind, of: user, source: source, app: app, in: tx)
            }
            try insert(Tables.bytes, "deviceId", Self.user, "old", Tables.app)
            try insert([2], "deviceId", Self.user, "old", Tables.app)
            try insert(Tables.bytes, "customId", Self.neighbour, "old", Tables.app)
            try insert(Tables.bytes, "deviceId", Self.neighbour, "other", Tables.app)
            try insert(Tables.bytes, "deviceId", Self.neighbour, "old", Tables.otherApp)
            let user = { (hash: [UInt8], kind: String) in
                try LegacyQueries.user(ofDevice: hash, kind, source: "old", app: Tables.app, in: tx)
            }
            #expect(try user(Tables.bytes, "deviceId") == Self.user)
            #expect(try user(Tables.bytes, "customId") == Self.neighbour)
            #expect(try user(Tables.bytes, "guestId") == nil)
            let found = try LegacyQueries.users(
                ofDevices: [Tables.bytes, [2], [3]], source: "old", app: Tables.app, in: tx)
            #expect(found.count == 3)
            #expect(found.contains { $0.hash == [2] && $0.kind == "deviceId" && $0.user == Self.user })
            try LegacyQueries.insert(Self.member("a"), app: Tables.app, in: tx)
            try LegacyQueries.deleteAll(of: Self.user, app: Tables.app, in: tx)
            #expect(try user([2], "deviceId") == nil && Self.found("a", in: tx) == nil)
            #expect(try tx.count("legacy_devices") == 3)
            let delete = {
                try LegacyQueries.delete(.devices, of: "old", app: Tables.app, after: [], rows: 9, in: tx)
            }
            #expect(try delete() == nil)
            #expect(try tx.count("legacy_devices") == 2)
            #expect(try delete() == nil)
            #expect(try tx.count("legacy_devices") == 2)
        }
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                for user in [Self.user, Self.neighbour] {
                    try LegacyQueries.insertDevice([1], "deviceId", of: user, source: "old", app: Tables.app, in: tx)
                }
            }
        }
    }

    @Test("Who has withdrawn is remembered once, in the source and the app", arguments: Engine.available)
    func erased(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let insert = { (hash: [UInt8], source: String, app: AppID) in
                try LegacyQueries.insertErased(hash, source: source, app: app, at: Tables.moment, in: tx)
            }
            try insert(Tables.bytes, "old", Tables.app)
            try insert(Tables.bytes, "old", Tables.app)
            try insert([1], "other", Tables.app)
            try insert([2], "old", Tables.otherApp)
            let erased = try LegacyQueries.erased([Tables.bytes, [1], [2]], source: "old", app: Tables.app, in: tx)
            #expect(erased == [Tables.bytes])
            #expect(try LegacyQueries.isErased([1], source: "other", app: Tables.app, in: tx))
            #expect(try !LegacyQueries.isErased([1], source: "old", app: Tables.app, in: tx))
            let end = try LegacyQueries.delete(.erased, of: "old", app: Tables.app, after: [], rows: 9, in: tx)
            #expect(end == nil)
            #expect(try tx.count("legacy_erased") == 2)
            #expect(try LegacyQueries.isErased([2], source: "old", app: Tables.otherApp, in: tx))
        }
    }

    @Test(
        "A source's hashes are deleted page by page, however many others stand between them",
        arguments: Engine.available)
    func pages(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            // Every third hash is the source's. A page ends with all rows of its last hash.
            for number in UInt8(1)...30 {
                let source = number.isMultiple(of: 3) ? "old" : "other"
                for kind in ["deviceId", "customId"] {
                    try LegacyQueries.insertDevice(
                        [number, 7], kind, of: Self.user, source: source, app: Tables.app, in: tx)
                }
                try LegacyQueries.insertErased([number], source: source, app: Tables.app, at: Tables.moment, in: tx)
            }
            var (ends, last): ([[UInt8]], [UInt8]?) = ([], [])
            while let begin = last {
                last = try LegacyQueries.delete(.devices, of: "old", app: Tables.app, after: begin, rows: 15, in: tx)
                ends += [last].compactMap(\.self)
                let left = 60 - Int(last?[0] ?? 30) / 3 * 2
                #expect(try tx.count("legacy_devices") == left)
            }
            #expect(ends == [[8, 7], [16, 7], [24, 7]])
            (ends, last) = ([], [])
            while let begin = last {
                last = try LegacyQueries.delete(.erased, of: "old", app: Tables.app, after: begin, rows: 10, in: tx)
                ends += [last].compactMap(\.self)
                #expect(try tx.count("legacy_erased") == 30 - Int(last?[0] ?? 30) / 3)
            }
            #expect(ends == [[10], [20], [30]])
            let users = try LegacyQueries.users(
                ofDevices: [[1, 7], [3, 7]], source: "other", app: Tables.app, in: tx)
            #expect(users.count == 2)
        }
    }

    @Test("Attempts are counted for a device, its network and the app, and taken back", arguments: Engine.available)
    func attempts(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let address = try #require(ClientAddress("192.0.2.7"))
            let count = { (key: KeyThumbprint, address: ClientAddress, app: AppID, hours: Int64) in
                _ = try LegacyAttempts.count(
                    by: key, from: address, Tables.change(app: app, at: Tables.moment + hours * 3_600), in: tx)
            }
            for _ in 0..<LegacyAttempts.perDevice { try count(Self.key, address, Tables.app, 0) }
            let refusal = #expect(throws: Refusal.self) { try count(Self.key, address, Tables.app, 0) }
            #expect(refusal?.status == 429 && refusal?.retryAfterSeconds == 3_600)
            try count(Self.key, address, Tables.app, 1)
            try count(Self.key, address, Tables.otherApp, 0)
            try LegacyAttempts.takeBack(by: Self.key, from: address, Tables.change(), in: tx)
        }
        try await Tables.transact(engine) { tx in
            let change = try Tables.change()
            let count = { (number: Int, address: String) in
                try LegacyAttempts.count(
                    by: KeyThumbprint("device-\(number)"), from: #require(ClientAddress(address)), change, in: tx)
            }
            for number in 0..<LegacyAttempts.perNetwork { #expect(try !count(number, "192.0.2.\(number)")) }
            // The same /24, another /24, and a /64 of which every address counts.
            #expect(throws: Refusal.self) { try count(99, "192.0.2.200") }
            #expect(try !count(99, "192.0.3.200"))
            for number in 100..<100 + LegacyAttempts.perNetwork {
                #expect(try !count(number, "2001:db8:0:1::\(number)"))
            }
            #expect(throws: Refusal.self) { try count(999, "2001:db8:0:1:ffff::1") }
        }
    }
}
