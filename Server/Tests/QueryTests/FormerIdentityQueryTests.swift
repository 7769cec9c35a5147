import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `former_identities`.
@Suite struct FormerIdentityQueryTests {
    private static let user = MemberQueryTests.user
    private static let neighbour = MemberQueryTests.neighbour
    private static let google = IdentityKey(provider: .google, namespace: Tables.text, subject: "subject")
    private static let apple = IdentityKey(provider: .apple, namespace: "team", subject: Tables.text)

    private static func keep(
        _ identity: IdentityKey, of user: UserID = user, app: AppID = Tables.app, at seconds: Int64 = 0,
        until end: Int64 = 100, in tx: Transaction
    ) throws {
        try FormerIdentityQueries.keep(
            identity, of: user, app: app, at: Tables.moment + seconds, until: Tables.moment + end, in: tx)
    }

    private static func found(
        of user: UserID = user, app: AppID = Tables.app, at seconds: Int64 = 0, in tx: Reader
    ) throws -> [IdentityKey] {
        try FormerIdentityQueries.identities(of: user, app: app, at: Tables.moment + seconds, in: tx)
    }

    @Test("The last removed identity comes first, until it expires", arguments: Engine.available)
    func order(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.keep(Self.google, at: 1, until: 10, in: tx)
            try Self.keep(Self.apple, at: 2, until: 20, in: tx)
            #expect(try Self.found(in: tx) == [Self.apple, Self.google])
            #expect(try Self.found(at: 10, in: tx) == [Self.apple])
            #expect(try Self.found(of: Self.neighbour, in: tx).isEmpty)
            #expect(try Self.found(app: Tables.otherApp, in: tx).isEmpty)
        }
    }

    @Test("A later identity of the provider takes the place of the earlier one", arguments: Engine.available)
    func replaced(engine: Engine) async throws {
        let later = IdentityKey(provider: .google, namespace: "", subject: "later")
        try await Tables.transact(engine) { tx in
            try Self.keep(Self.google, until: 10, in: tx)
            try Self.keep(Self.google, app: Tables.otherApp, in: tx)
            try Self.keep(later, at: 1, until: 20, in: tx)
            #expect(try Self.found(at: 15, in: tx) == [later])
            #expect(try Self.found(app: Tables.otherApp, in: tx) == [Self.google])
        }
    }

    @Test("An identity is deleted wherever it is named, in its namespace and app only", arguments: Engine.available)
    func deleteNamed(engine: Engine) async throws {
        let elsewhere = IdentityKey(provider: .google, namespace: "other", subject: Self.google.subject)
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            let account = try MemberQueryTests.account(in: tx)
            try MemberQueries.insertIdentity(Self.google, of: account, at: Tables.moment, in: tx)
            try Self.keep(Self.google, of: Self.neighbour, in: tx)
            try Self.keep(elsewhere, of: UserID("third"), in: tx)
            try Self.keep(Self.google, of: Self.neighbour, app: Tables.otherApp, in: tx)
            let mapping = Mapping(provider: .google, subject: Self.google.subject, registrationDate: 0)
            try FormerIdentityQueries.deleteAll(naming: mapping, of: Self.user, app: Tables.app, in: tx)
            #expect(try Self.found(of: Self.neighbour, in: tx).isEmpty)
            #expect(try Self.found(of: UserID("third"), in: tx) == [elsewhere])
            #expect(try Self.found(of: Self.neighbour, app: Tables.otherApp, in: tx) == [Self.google])
        }
    }

    @Test("A member's records go without those of another member or app", arguments: Engine.available)
    func deleteAll(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for identity in [Self.google, Self.apple] {
                try Self.keep(identity, in: tx)
                try Self.keep(identity, of: Self.neighbour, in: tx)
                try Self.keep(identity, app: Tables.otherApp, in: tx)
            }
            try FormerIdentityQueries.deleteAll(of: Self.user, app: Tables.app, in: tx)
            #expect(try Self.found(in: tx).isEmpty)
            #expect(try Self.found(of: Self.neighbour, in: tx).count == 2)
            #expect(try Self.found(app: Tables.otherApp, in: tx).count == 2)
        }
    }
}
