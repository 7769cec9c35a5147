import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// How the engines find the next page of an export. A page of a large app costs as much as one of a small one.
@Suite struct ExportQueryTests {
    private struct Planned: Sendable {
        /// A part of a step for each index.
        let sqlite: String
        let postgresql: String
        /// A part of the steps that may cost something.
        var permits = "nothing"
        let run: @Sendable (Reader) throws -> Void
    }

    private static let app = Tables.app
    private static let users = UserRange(after: UserID("a"), last: UserID("b"))

    private static let queries = [
        Planned(sqlite: "(app_id=? AND user_id>?", postgresql: "members_pkey") { tx in
            _ = try MemberQueries.exported(of: app, after: UserID("a"), limit: 9, in: tx)
        },
        Planned(sqlite: "(user_id>? AND user_id<?", postgresql: "identities_one_per_idp") { tx in
            _ = try MemberQueries.exportedIdentities(of: users, app: app, in: tx)
        },
        Planned(sqlite: "bans_user (user_id>? AND user_id<?", postgresql: "bans_user") { tx in
            _ = try BanQueries.bans(of: users, app: app, in: tx)
        },
        Planned(sqlite: "(user_id>? AND user_id<?", postgresql: "legacy_members_one_per_source") { tx in
            _ = try LegacyQueries.members(of: users, app: app, in: tx)
        },
        Planned(sqlite: "ledger USING PRIMARY KEY", postgresql: "pkey", permits: "RIGHT PART OF ORDER BY") { tx in
            _ = try LedgerQueries.entries(of: app, after: nil, limit: 9, in: tx)
        },
    ]

    @Test("Each page is found by an index, and none is sorted", arguments: Engine.available)
    func plans(engine: Engine) async throws {
        try await Tables.transactAlone(engine) { tx in
            // PostgreSQL's ledger has no partition before its first entry.
            try tx.insert(
                into: "ledger",
                [
                    "user_id": Tables.nobody, "app_id": Tables.app,
                    "entry_id": TimeOrderedID.firstEntry(at: Tables.moment), "event": "member.created",
                    "actor": "player", "door": "http-api", "happened_at": Tables.moment,
                ])
            for query in Self.queries {
                let plans = try tx.plans(of: query.run)
                let index = engine == .sqlite ? query.sqlite : query.postgresql
                #expect(plans.contains { $0.steps.contains { $0.contains(index) } }, "\(index): \(plans)")
                // SQLite sorts the entries of one member, because its planner does not see that the key has them in their order.
                for plan in plans { #expect(plan.costly.allSatisfy { $0.contains(query.permits) }, "\(plan)") }
            }
        }
    }

    @Test("A page has the members of one app that follow, with their identities", arguments: Engine.available)
    func pages(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for app in [Tables.app, Tables.otherApp] {
                for name in ["a", "b", "c", "d"] {
                    try MemberQueries.insertMember(UserID(name), app: app, on: 1, at: Tables.moment, in: tx)
                    let account = Account(
                        app: app, user: UserID(name), status: .normal, registrationDate: 0, lastLoginDate: 0,
                        version: 0, generation: 0, mappings: [])
                    let key = IdentityKey(provider: .naver, namespace: "n", subject: "\(name)\(Tables.text)")
                    try MemberQueries.insertIdentity(key, of: account, at: Tables.moment, in: tx)
                }
            }
            let page = try MemberQueries.exported(of: Tables.app, after: UserID("a"), limit: 2, in: tx)
            #expect(page.map(\.user.rawValue) == ["b", "c"])
            let users = UserRange(after: UserID("a"), last: UserID("c"))
            let identities = try MemberQueries.exportedIdentities(of: users, app: Tables.app, in: tx)
            #expect(identities.map(\.subject).sorted() == ["b\(Tables.text)", "c\(Tables.text)"])
            #expect(identities.allSatisfy { $0.namespace == "n" && $0.provider == .naver })
            let first = UserRange(after: nil, last: UserID("a"))
            #expect(try MemberQueries.exportedIdentities(of: first, app: Tables.app, in: tx).count == 1)
        }
    }
}
