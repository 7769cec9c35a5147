import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `identities`.
@Suite struct IdentityQueryTests {
    private static let user = MemberQueryTests.user
    private static let neighbour = MemberQueryTests.neighbour

    private static func key(_ subject: String, _ provider: Provider = .google, namespace: String = "") -> IdentityKey {
        IdentityKey(provider: provider, namespace: namespace, subject: subject)
    }

    private static func insert(
        _ key: IdentityKey, of user: UserID = user, app: AppID = Tables.app, at moment: Moment = Tables.moment,
        in tx: Transaction
    ) throws {
        let account = try MemberQueryTests.account(user, app: app, in: tx)
        try MemberQueries.insertIdentity(key, of: account, at: moment, in: tx)
    }

    private static func mappings(
        of user: UserID = user, app: AppID = Tables.app, in tx: Reader
    ) throws -> [Mapping] {
        try MemberQueryTests.account(user, app: app, in: tx).mappings
    }

    @Test("A member has its mappings, oldest first, with their links", arguments: Engine.available)
    func mappings(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            try Self.insert(Self.key(Tables.text), at: Tables.moment + 1, in: tx)
            _ = try MemberQueries.take(Self.user, app: Tables.app, in: tx)
            try Self.insert(Self.key("old", .apple, namespace: "team"), in: tx)
            let account = try MemberQueryTests.account(in: tx)
            let moment = Tables.moment.milliseconds
            #expect(
                account.mappings == [
                    Mapping(provider: .apple, subject: "old", registrationDate: moment),
                    Mapping(provider: .google, subject: Tables.text, registrationDate: moment + 1_000),
                ])
            #expect(account.mappings.last.map { Array($0.subject.utf8) } == Array(Tables.text.utf8))
            #expect(account.links == [.google: 1, .apple: 2])
            #expect(try MemberQueries.account(of: Self.key(Tables.text), app: Tables.app, in: tx) == account)
        }
    }

    @Test("Provider, namespace, app and every byte of the subject are of an identity", arguments: Engine.available)
    func owners(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            try Self.insert(Self.key("\u{e9}"), in: tx)
            try Self.insert(Self.key("e\u{301}"), of: Self.neighbour, in: tx)
            try Self.insert(Self.key("\u{e9}"), of: Self.neighbour, app: Tables.otherApp, in: tx)
            let owner = { (key: IdentityKey, app: AppID) in try MemberQueries.owner(of: key, app: app, in: tx) }
            #expect(try owner(Self.key("\u{e9}"), Tables.app) == Self.user)
            #expect(try owner(Self.key("e\u{301}"), Tables.app) == Self.neighbour)
            #expect(try owner(Self.key("\u{e9}"), Tables.otherApp) == Self.neighbour)
            #expect(try owner(Self.key("\u{c9}"), Tables.app) == nil)
            #expect(try owner(Self.key("\u{e9}", .apple), Tables.app) == nil)
            #expect(try owner(Self.key("\u{e9}", namespace: "team"), Tables.app) == nil)
            #expect(try MemberQueries.account(of: Self.key("\u{c9}"), app: Tables.app, in: tx) == nil)
            #expect(try MemberQueries.holders(ofSubject: "\u{e9}", app: Tables.app, in: tx).map(\.user) == [Self.user])
        }
    }

    @Test(
        "An identity has one member, and a member one identity of a provider", arguments: Engine.available,
        [true, false])
    func unique(engine: Engine, isSameIdentity: Bool) async throws {
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try MemberQueryTests.insertAll(in: tx)
                try Self.insert(Self.key("one"), in: tx)
                let second = isSameIdentity ? Self.key("one") : Self.key("two", namespace: "team")
                try Self.insert(second, of: isSameIdentity ? Self.neighbour : Self.user, in: tx)
            }
        }
    }

    @Test("Deleting an identity leaves the member's others and all other members'", arguments: Engine.available)
    func delete(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertEverywhere(in: tx)
            try MemberQueries.deleteIdentity(.google, of: Self.user, app: Tables.app, in: tx)
            #expect(try Self.mappings(in: tx).map(\.provider) == [.apple])
            try MemberQueries.deleteIdentities(of: Self.user, app: Tables.app, in: tx)
            #expect(try Self.mappings(in: tx).isEmpty)
            #expect(try Self.mappings(of: Self.neighbour, in: tx).count == 2)
            #expect(try Self.mappings(app: Tables.otherApp, in: tx).count == 2)
        }
    }

    @Test("Deleting an identity that is gone is a conflict", arguments: Engine.available)
    func deleteMissed(engine: Engine) async throws {
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try MemberQueryTests.insertAll(in: tx)
                try MemberQueries.deleteIdentity(.google, of: Self.user, app: Tables.app, in: tx)
            }
        }
    }

    @Test("A revoked consent is of one mapping, and is cleared again", arguments: Engine.available)
    func revoked(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertEverywhere(in: tx)
            try MemberQueries.setRevoked(Tables.moment + 9, .google, of: Self.user, app: Tables.app, in: tx)
            #expect(try tx.count("identities WHERE revoked_at IS NOT NULL") == 1)
            let revoked = try Self.mappings(in: tx).first { $0.provider == .google }
            #expect(revoked?.revokedDate == (Tables.moment + 9).milliseconds)
            try MemberQueries.setRevoked(nil, .google, of: Self.user, app: Tables.app, in: tx)
            #expect(try tx.count("identities WHERE revoked_at IS NOT NULL") == 0)
        }
    }

    @Test("Lists of identities are of the members, subjects and app that are asked for", arguments: Engine.available)
    func lookup(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertEverywhere(in: tx)
            let identities = try tx.rows(
                MemberQueries.identities(of: [Self.neighbour, Self.user, Tables.nobody], app: Tables.app)
            ) { row in "\(try row[0] as UserID) \(try row[2] as String)" }
            let expected = [Self.user, Self.neighbour].flatMap { user in
                ["\(user) \(user) appleid", "\(user) \(user) google"]
            }
            #expect(identities == expected)
            let owners = try tx.rows(
                MemberQueries.owners(of: ["\(Self.user) google", "?"], at: .google, app: Tables.app)
            ) { row in try row[1] as UserID }
            #expect(owners == [Self.user])
            #expect(
                try tx.rows(MemberQueries.owners(of: ["\(Self.user) google"], at: .apple, app: Tables.app)) { _ in true
                }
                .isEmpty)
        }
    }

    /// Two identities for each of two members in both apps.
    private static func insertEverywhere(in tx: Transaction) throws {
        try MemberQueryTests.insertAll(in: tx)
        for app in [Tables.app, Tables.otherApp] {
            for user in [user, neighbour] {
                for provider in [Provider.google, .apple] {
                    try insert(key("\(user) \(provider)", provider), of: user, app: app, in: tx)
                }
            }
        }
    }
}
