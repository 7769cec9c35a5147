import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `identity_tokens`.
@Suite struct IdentityTokenQueryTests {
    private static let user = MemberQueryTests.user
    private static let neighbour = MemberQueryTests.neighbour

    private static func replace(
        _ sealed: [UInt8] = Tables.bytes, of user: UserID = user, _ provider: Provider = .google,
        app: AppID = Tables.app, isRevocable: Bool = true, at seconds: Int64 = 0, in tx: Draft
    ) throws {
        let change = try Tables.change(app: app, at: Tables.moment + seconds)
        try IdentityTokenQueries.replace(
            sealed, isRevocable: isRevocable, of: user, provider, session: SessionID(Tables.text), change, in: tx)
    }

    private static func kept(
        of user: UserID = user, _ provider: Provider = .google, app: AppID = Tables.app, in tx: Reader
    ) throws -> IdentityTokenQueries.Kept? {
        try IdentityTokenQueries.tokens(of: user, provider, app: app, in: tx)
    }

    /// Tokens of two providers for two members in both apps.
    private static func replaceEverywhere(in tx: Draft) throws {
        for app in [Tables.app, Tables.otherApp] {
            for user in [user, neighbour] {
                for provider in [Provider.google, .apple] { try replace(of: user, provider, app: app, in: tx) }
            }
        }
    }

    @Test("Tokens of one decision are read back as they were stored", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in try Self.replaceEverywhere(in: draft) }
            try await database.decide { draft in try Self.replace([], at: 5, in: draft) }
            try await database.read { tx in
                let kept = try #require(try Self.kept(in: tx))
                #expect(kept.user == Self.user && kept.sealed == [] && kept.session == SessionID(Tables.text))
                #expect(kept.updatedAt == Tables.moment + 5)
                #expect(try tx.count("identity_tokens WHERE updated_at = \(Tables.moment)") == 7)
                #expect(try Self.kept(of: Self.neighbour, in: tx)?.sealed == Tables.bytes)
                #expect(try Self.kept(.facebook, in: tx) == nil)
            }
        }
    }

    @Test(
        "Tokens that can't be revoked are not found as such that can, those of a server of before are",
        arguments: Engine.available)
    func revocable(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let found = {
                try IdentityTokenQueries.revocableTokens(of: Self.user, .google, app: Tables.app, in: tx) != nil
            }
            try Self.replace(in: tx)
            #expect(try found())
            try Self.replace(isRevocable: false, in: tx)
            #expect(try !found())
            try tx.execute("UPDATE identity_tokens SET is_revocable = NULL WHERE app_id = \(Tables.app)")
            #expect(try found())
        }
    }

    @Test("The tokens of a provider are listed by member, page after page", arguments: Engine.available)
    func pages(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.replaceEverywhere(in: tx)
            let page = { (last: UserID?, limit: Int) in
                try IdentityTokenQueries.all(of: .google, app: Tables.app, after: last, limit: limit, in: tx).map(
                    \.user)
            }
            #expect(try page(nil, 9) == [Self.user, Self.neighbour])
            #expect(try page(nil, 1) == [Self.user])
            #expect(try page(Self.user, 1) == [Self.neighbour])
            #expect(try page(Self.neighbour, 1).isEmpty)
            #expect(try IdentityTokenQueries.providers(of: Self.user, app: Tables.app, in: tx) == [.apple, .google])
        }
    }

    @Test("Tokens are changed or deleted only as they were read", arguments: Engine.available)
    func change(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.replaceEverywhere(in: tx)
            let read = try #require(try Self.kept(in: tx))
            let change = { (sealed: [UInt8]?) in
                try IdentityTokenQueries.change(read, to: sealed, .google, app: Tables.app, in: tx)
            }
            try change([1])
            #expect(try Self.kept(in: tx)?.sealed == [1])
            try Self.replace([2], at: 1, in: tx)
            try change([3])
            try change(nil)
            #expect(try Self.kept(in: tx)?.sealed == [2])
            let later = try #require(try Self.kept(in: tx))
            try IdentityTokenQueries.change(later, to: nil, .google, app: Tables.app, in: tx)
            #expect(try Self.kept(in: tx) == nil)
            #expect(try tx.count("identity_tokens") == 7)
        }
    }

    @Test("Tokens are deleted of one provider, member and app", arguments: Engine.available)
    func delete(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.replaceEverywhere(in: tx)
            try IdentityTokenQueries.delete(of: Self.user, .google, app: Tables.app, in: tx)
            #expect(try IdentityTokenQueries.providers(of: Self.user, app: Tables.app, in: tx) == [.apple])
            #expect(try tx.count("identity_tokens") == 7)
        }
    }
}
