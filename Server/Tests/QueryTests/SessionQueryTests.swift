import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `sessions`.
@Suite struct SessionQueryTests {
    private static let user = MemberQueryTests.user
    private static let neighbour = MemberQueryTests.neighbour

    private static func session(
        _ seconds: Int64, of user: UserID = user, app: AppID = Tables.app, with provider: Provider = .guest,
        generation: Int64 = 0, replaces: SessionID? = nil
    ) -> Session {
        Session(
            id: SessionID(Tables.id(at: Tables.moment + seconds)), app: app, user: user, provider: provider,
            key: KeyThumbprint(Tables.text), generation: generation, createdAt: Tables.moment + seconds,
            idleExpiresAt: Tables.moment + 1_000, expiresAt: Moment(milliseconds: .max), end: nil, link: .max,
            replaces: replaces)
    }

    private static func insert(_ sessions: Session..., client: String? = nil, in tx: Draft) throws {
        for session in sessions {
            try SessionQueries.insert(session, refreshHash: Tables.bytes, client: client, in: tx)
        }
    }

    private static func found(_ session: Session, in tx: Reader) throws -> Session? {
        try SessionQueries.session(session.id, app: session.app, in: tx)?.session
    }

    private static func account(generation: Int64 = 0) -> Account {
        Account(
            app: Tables.app, user: user, status: .normal, registrationDate: 0, lastLoginDate: 0, version: 0,
            generation: generation, mappings: [])
    }

    @Test(
        "Of a member who withdraws, the hashes of the sessions that go on are kept until their end",
        arguments: Engine.available)
    func withdrawn(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertGuests(in: tx)
            let sessions = [
                Self.session(0), Self.session(1), Self.session(2, of: Self.neighbour),
                Self.session(3, app: Tables.otherApp),
            ]
            for (number, session) in sessions.enumerated() {
                try SessionQueries.insert(session, refreshHash: [UInt8(number)], client: nil, in: tx)
            }
            try SessionQueries.end(sessions[1].id, app: Tables.app, reason: .loggedOut, at: Tables.moment, in: tx)
            // The second time none of them goes on.
            for seconds in [0, 1_000] as [Int64] {
                try WithdrawnSessionQueries.insert(
                    sessionsOf: Self.user, app: Tables.app, at: Tables.moment + seconds, until: Tables.moment + 9,
                    in: tx)
            }
            func isThere(_ number: UInt8, app: AppID = Tables.app, at seconds: Int64 = 8) throws -> Bool {
                try WithdrawnSessionQueries.isThere([number], app: app, at: Tables.moment + seconds, in: tx)
            }
            #expect(try isThere(0) && !isThere(0, at: 9) && !isThere(0, app: Tables.otherApp))
            for number in 1...3 as ClosedRange<UInt8> { #expect(try !isThere(number)) }
        }
    }

    @Test("An identity leaves while no other session of it is open", arguments: Engine.available)
    func deleteIdentity(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertGuests(in: tx)
            // All but the first are of another provider, generation, member or app, or have ended.
            try Self.insert(
                Self.session(0), Self.session(1, with: .google), Self.session(2, generation: 1),
                Self.session(3, of: Self.neighbour), Self.session(4, app: Tables.otherApp), Self.session(5), in: tx)
            try SessionQueries.end(
                Self.session(5).id, app: Tables.app, reason: .loggedOut, at: Tables.moment, in: tx)
            try MemberQueries.deleteIdentity(
                .guest, of: Self.account(), withoutSessionsBut: Self.session(0).id, ifOpen: StorageError.conflict,
                in: tx)
            #expect(try tx.count("identities") == 3)
            #expect(try MemberQueries.account(Self.user, app: Tables.app, in: tx)?.mappings == [])
        }
    }

    @Test("An identity of another open session stays, and the caller has its error", arguments: Engine.available)
    func deleteIdentityInUse(engine: Engine) async throws {
        struct InUse: Error {}
        await #expect(throws: InUse.self) {
            try await Tables.transact(engine) { tx in
                try Self.insertGuests(in: tx)
                try Self.insert(Self.session(0), Self.session(1), in: tx)
                try MemberQueries.deleteIdentity(
                    .guest, of: Self.account(), withoutSessionsBut: Self.session(0).id, ifOpen: InUse(), in: tx)
            }
        }
    }

    private static func insertGuests(in tx: Transaction) throws {
        try MemberQueryTests.insertAll(in: tx)
        for (number, app) in [Tables.app, Tables.otherApp].enumerated() {
            for user in [user, neighbour] {
                let account = try MemberQueryTests.account(user, app: app, in: tx)
                let key = IdentityKey.guest(KeyThumbprint("\(user) \(number)"))
                try MemberQueries.insertIdentity(key, of: account, at: Tables.moment, in: tx)
            }
        }
    }

    @Test("Sessions of one decision are read back as they were inserted, in their app", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        let first = Self.session(0)
        let second = Self.session(1, of: Self.neighbour, with: .google, generation: .max, replaces: first.id)
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                try Self.insert(first, in: draft)
                try Self.insert(second, client: Tables.text, in: draft)
            }
            try await database.read { tx throws in
                #expect(try Self.found(first, in: tx) == first)
                #expect(try Self.found(second, in: tx) == second)
                #expect(try SessionQueries.session(first.id, app: Tables.app, in: tx)?.refreshHash == Tables.bytes)
                #expect(try SessionQueries.session(first.id, app: Tables.otherApp, in: tx) == nil)
            }
        }
    }

    @Test("Live sessions are counted in their app, among a limited number of the newest", arguments: Engine.available)
    func liveCount(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            try Self.insert(Self.session(0), Self.session(1), Self.session(2, generation: 7), in: tx)
            try Self.insert(Self.session(3, app: Tables.otherApp), Self.session(4, of: Tables.nobody), in: tx)
            func live(since: Int64? = nil, at seconds: Int64 = 10, limit: Int = 100) throws -> [Int] {
                let found = try SessionQueries.live(
                    of: Tables.app, createdSince: since.map { Tables.moment + $0 }, at: Tables.moment + seconds,
                    examining: limit, in: tx)
                return [found.live, found.examined]
            }
            #expect(try live() == [2, 5])
            #expect(try live(since: 1) == [1, 5])
            #expect(try live(at: 1_000) == [0, 5])
            #expect(try live(limit: 4) == [1, 4])
        }
    }

    @Test("A member's device is the one of the newest session that has told it", arguments: Engine.available)
    func client(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insert(Self.session(0), client: "old", in: tx)
            try Self.insert(Self.session(1), client: Tables.text, in: tx)
            try Self.insert(Self.session(2), in: tx)
            try Self.insert(Self.session(3, of: Self.neighbour), client: "neighbour", in: tx)
            try Self.insert(Self.session(4, app: Tables.otherApp), client: "other app", in: tx)
            #expect(try SessionQueries.client(of: Self.user, app: Tables.app, in: tx) == Tables.text)
            #expect(try SessionQueries.client(of: Tables.nobody, app: Tables.app, in: tx) == nil)
        }
    }

    @Test("A session comes with its member and a row for each mapping", arguments: Engine.available)
    func live(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            let session = Self.session(0)
            try Self.insert(session, in: tx)
            let parts = { () in
                try tx.rows(SessionQueries.live(session.id, app: Tables.app)) { row in
                    try SessionQueries.LivePart(row)
                }
            }
            let alone = try parts()
            #expect(try MemberQueries.account(alone.map(\.member)) == MemberQueryTests.account(in: tx))
            for provider in [Provider("b"), Provider("a")] {
                let key = IdentityKey(provider: provider, namespace: "", subject: Tables.text)
                let account = try MemberQueryTests.account(in: tx)
                try MemberQueries.insertIdentity(key, of: account, at: Tables.moment, in: tx)
            }
            let found = try parts()
            #expect(found.count == 2 && found.allSatisfy { $0.session == session && $0.refreshHash == Tables.bytes })
            #expect(try MemberQueries.account(found.map(\.member)) == MemberQueryTests.account(in: tx))
            #expect(try tx.rows(SessionQueries.live(session.id, app: Tables.otherApp)) { _ in true }.isEmpty)
        }
    }

    @Test(
        "A member's sessions are listed newest first, page after page, with device and last use",
        arguments: Engine.available)
    func listed(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertSeven(in: tx)
            try Self.insert(Self.session(8), client: Tables.text, in: tx)
            let (used, future) = (Self.session(2), Tables.moment + 5_000)
            try SessionQueries.touch(used, until: future, resumes: false, at: Tables.moment + 9, in: tx)
            let list = { (last: SessionID?, creation: Moment, deadline: Moment, limit: Int) in
                try SessionQueries.listed(
                    of: Self.account(), after: last, createdSince: creation, idleAfter: deadline, limit: limit, in: tx)
            }
            let all = try list(nil, Tables.moment, Tables.moment, 9)
            #expect(all.map(\.session.id) == [8, 3, 2, 1].map { Self.session($0).id })
            #expect(all.map(\.client) == [Tables.text, nil, nil, nil])
            #expect(all.map(\.lastUsedAt) == [8, 3, 9, 1].map { Tables.moment + $0 })
            #expect(all.first?.session == Self.session(8))
            #expect(try list(nil, Tables.moment, Tables.moment, 2) == Array(all.prefix(2)))
            #expect(try list(all[1].session.id, Tables.moment, Tables.moment, 9) == Array(all.suffix(2)))
            #expect(try list(nil, Tables.moment + 3, Tables.moment, 9) == Array(all.prefix(2)))
            #expect(try list(nil, Tables.moment, Tables.moment + 1_000, 9) == [all[2]])
        }
    }

    @Test("One session is listed of its member in its app, also when it has ended", arguments: Engine.available)
    func listedAlone(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertSeven(in: tx)
            let found = { (seconds: Int64) in
                try SessionQueries.listed(Self.session(seconds).id, of: Self.account(), in: tx)
            }
            #expect(try found(1)?.session == Self.session(1))
            #expect(try found(7)?.session.end == .loggedOut)
            for other in [4, 5, 9] as [Int64] { #expect(try found(other) == nil) }
        }
    }

    @Test("Use moves the idle deadline of a session that has not ended", arguments: Engine.available)
    func touch(engine: Engine) async throws {
        let (session, ended) = (Self.session(0), Self.session(1))
        try await Tables.transact(engine) { tx in
            try Self.insert(session, ended, Self.session(2), in: tx)
            try SessionQueries.end(ended.id, app: Tables.app, reason: .loggedOut, at: Tables.moment, in: tx)
            for (touched, resumes) in [(session, false), (ended, true)] {
                let deadline = Moment(milliseconds: .max)
                try SessionQueries.touch(touched, until: deadline, resumes: resumes, at: Tables.moment, in: tx)
            }
            #expect(try Self.found(session, in: tx)?.idleExpiresAt == Moment(milliseconds: .max))
            #expect(try Self.found(ended, in: tx)?.idleExpiresAt == ended.idleExpiresAt)
            #expect(try tx.count("sessions WHERE resumed_at IS NOT NULL") == 0)
            try SessionQueries.touch(session, until: Tables.moment, resumes: true, at: Tables.moment, in: tx)
            #expect(try tx.count("sessions WHERE resumed_at = \(Tables.moment)") == 1)
        }
    }

    @Test(
        "A session knows where its device's key is, and a use that says something new changes it",
        arguments: Engine.available)
    func keyProtection(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            var told = Self.session(0)
            let silent = Self.session(1)
            told.keyProtection = KeyProtection("tpm_2")
            try Self.insert(told, silent, in: tx)
            #expect(try Self.found(told, in: tx) == told)
            #expect(try Self.found(silent, in: tx)?.keyProtection == nil)
            let deadline = told.idleExpiresAt
            try SessionQueries.touch(told, until: deadline, resumes: false, at: Tables.moment, in: tx)
            try SessionQueries.touch(
                silent, until: deadline, resumes: true, protection: .hardware, at: Tables.moment, in: tx)
            #expect(try Self.found(told, in: tx)?.keyProtection == KeyProtection("tpm_2"))
            #expect(try Self.found(silent, in: tx)?.keyProtection == .hardware)
            #expect(try tx.count("sessions WHERE resumed_at = \(Tables.moment)") == 1)
        }
    }

    @Test("A session ends once, with its reason, in its app", arguments: Engine.available)
    func end(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let (session, other) = (Self.session(0), Self.session(1))
            try Self.insert(session, other, in: tx)
            try SessionQueries.end(session.id, app: Tables.app, reason: .replaced, at: Tables.moment, in: tx)
            #expect(try Self.found(session, in: tx)?.end == .replaced)
            #expect(try Self.found(other, in: tx)?.end == nil)
        }
        for app in [Tables.app, Tables.otherApp] {
            await #expect(throws: StorageError.conflict) {
                try await Tables.transact(engine) { tx in
                    let session = Self.session(0)
                    try Self.insert(session, in: tx)
                    try SessionQueries.end(session.id, app: app, reason: .loggedOut, at: Tables.moment, in: tx)
                    try SessionQueries.end(session.id, app: app, reason: .replaced, at: Tables.moment, in: tx)
                }
            }
        }
    }

    @Test("The first use of a session is recorded once", arguments: Engine.available)
    func clearReplacement(engine: Engine) async throws {
        let session = Self.session(0, replaces: SessionID("old"))
        try await Tables.transact(engine) { tx in
            try Self.insert(session, Self.session(1, replaces: SessionID("old")), in: tx)
            try SessionQueries.clearReplacement(of: session, in: tx)
            #expect(try Self.found(session, in: tx)?.replaces == nil)
            #expect(try tx.count("sessions WHERE replaces = 'old'") == 1)
        }
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try Self.insert(session, in: tx)
                try SessionQueries.clearReplacement(of: session, in: tx)
                try SessionQueries.clearReplacement(of: session, in: tx)
            }
        }
    }

    /// Three live sessions of the member, and those that don't count: of another member, app or generation, and an ended one.
    private static func insertSeven(in tx: Transaction) throws {
        try insert(session(1), session(2), session(3), in: tx)
        try insert(
            session(4, of: neighbour), session(5, app: Tables.otherApp), session(6, generation: 1), session(7), in: tx)
        try SessionQueries.end(session(7).id, app: Tables.app, reason: .loggedOut, at: Tables.moment, in: tx)
    }

    @Test(
        "The oldest of the newest live sessions is counted in member, app and generation", arguments: Engine.available)
    func oldest(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertSeven(in: tx)
            let oldest = { (count: Int) in
                try SessionQueries.live(of: Self.user, app: Tables.app, generation: 0, oldestOf: count, in: tx)
            }
            #expect(try oldest(1) == Self.session(3).id)
            #expect(try oldest(3) == Self.session(1).id)
            #expect(try oldest(4) == nil)
        }
    }

    @Test("The live sessions up to one are in order, whatever their generation", arguments: Engine.available)
    func upTo(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertSeven(in: tx)
            let upTo = { (seconds: Int64) in
                try SessionQueries.live(of: Self.user, app: Tables.app, upTo: Self.session(seconds).id, in: tx)
            }
            #expect(try upTo(2) == [1, 2].map { Self.session($0).id })
            #expect(try upTo(9) == [1, 2, 3, 6].map { Self.session($0).id })
        }
    }

    @Test("Sessions of a provider are listed and ended, but for one", arguments: Engine.available)
    func endByProvider(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertSeven(in: tx)
            try Self.insert(Self.session(8, with: .google), in: tx)
            let open = { (kept: SessionID?, limit: Int) in
                try SessionQueries.open(of: Self.account(), with: .guest, but: kept, limit: limit, in: tx)
            }
            #expect(try open(nil, 9) == [3, 2, 1].map { Self.session($0).id })
            #expect(try open(Self.session(3).id, 1) == [Self.session(2).id])
            try SessionQueries.end(
                openedWith: .guest, of: Self.account(), but: Self.session(1).id, reason: .identityRemoved,
                at: Tables.moment, in: tx)
            #expect(try open(nil, 9) == [Self.session(1).id])
            #expect(try tx.count("sessions WHERE end_reason = \(SessionEnd.identityRemoved)") == 2)
            #expect(try tx.count("sessions WHERE ended_at IS NULL") == 5)
        }
    }

    @Test("A guest's session goes on under the provider that it has mapped", arguments: Engine.available)
    func moveOn(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let (session, other) = (Self.session(0), Self.session(1))
            try Self.insert(session, other, in: tx)
            try SessionQueries.moveOn(session, to: .google, link: 5, in: tx)
            let moved = try Self.found(session, in: tx)
            #expect(moved?.provider == .google && moved?.link == 5)
            #expect(try Self.found(other, in: tx) == other)
        }
    }

    @Test("Sessions are deleted of one member in one app", arguments: Engine.available)
    func deleteAll(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertSeven(in: tx)
            try SessionQueries.deleteAll(of: Self.user, app: Tables.app, in: tx)
            #expect(try tx.count("sessions") == 2)
            #expect(try Self.found(Self.session(4, of: Self.neighbour), in: tx) != nil)
            #expect(try Self.found(Self.session(5, app: Tables.otherApp), in: tx) != nil)
        }
    }

    @Test("Idle sessions are looked for page after page, and used ones stay", arguments: Engine.available)
    func deleteIdle(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for seconds in [1, 2, 3, 4] as [Int64] { try Self.insert(Self.session(seconds), in: tx) }
            let used = Self.session(2)
            try SessionQueries.touch(used, until: Tables.moment + 5_000, resumes: false, at: Tables.moment, in: tx)
            let next = { (last: SessionID?) in
                try SessionQueries.deleteIdle(
                    after: last, createdBefore: Tables.moment + 4, idleBefore: Tables.moment + 1_001, limit: 2, in: tx)
            }
            let first = try next(nil)
            #expect(first.deleted == 1 && first.last == used.id)
            let second = try next(first.last)
            #expect(second.deleted == 1 && second.last == nil)
            #expect(try tx.count("sessions") == 2)
        }
    }

    @Test(
        "Devices are those of kept sessions, and members of a device those who came by a provider",
        arguments: Engine.available)
    func devices(engine: Engine) async throws {
        @Sendable func on(_ key: String, _ session: Session) -> Session {
            Session(
                id: session.id, app: session.app, user: session.user, provider: session.provider,
                key: KeyThumbprint(key), generation: 0, createdAt: session.createdAt,
                idleExpiresAt: session.idleExpiresAt, expiresAt: session.expiresAt, end: nil, link: 0, replaces: nil)
        }
        let (neighbour, key) = (MemberQueryTests.neighbour, KeyThumbprint("phone"))
        try await Tables.transact(engine) { tx in
            try Self.insert(on("phone", Self.session(1)), client: "osCode=AOS", in: tx)
            try Self.insert(on("phone", Self.session(5, with: .google)), client: "osCode=IOS", in: tx)
            try Self.insert(on("tablet", Self.session(3, with: .google)), in: tx)
            try Self.insert(on("phone", Self.session(7, of: neighbour, with: .google)), in: tx)
            try Self.insert(on("phone", Self.session(8, of: UserID("guest"))), in: tx)
            try Self.insert(on("phone", Self.session(9, of: neighbour, app: Tables.otherApp, with: .google)), in: tx)
            let devices = try SessionQueries.devices(of: Self.user, app: Tables.app, limit: 9, in: tx)
            #expect(devices.map(\.key.rawValue) == ["phone", "tablet"])
            #expect(devices.map(\.usedAt) == [Tables.moment + 5, Tables.moment + 3])
            #expect(try SessionQueries.devices(of: Self.user, app: Tables.app, limit: 1, in: tx).count == 1)
            let members = try SessionQueries.members(ofDevice: key, app: Tables.app, limit: 9, in: tx)
            #expect(members.map(\.user) == [neighbour, Self.user])
            #expect(members.map(\.usedAt) == [Tables.moment + 7, Tables.moment + 5])
            #expect(try SessionQueries.client(of: Self.user, on: key, app: Tables.app, in: tx) == "osCode=IOS")
            #expect(try SessionQueries.client(of: neighbour, on: key, app: Tables.app, in: tx) == nil)
        }
    }
}
