import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// How the engines answer what the console asks. With a million members, a step through all rows of a table takes a second.
@Suite struct ConsolePlanTests {
    @Test(
        "The console's queries find their rows by an index, and sort no more than they show",
        arguments: Engine.available)
    func plans(engine: Engine) async throws {
        // In a shared database the estimates change with what other tests leave in the tables.
        try await Tables.transactAlone(engine) { tx in
            // PostgreSQL's ledger has no partition before its first entry.
            try tx.insert(
                into: "ledger",
                [
                    "user_id": Tables.nobody, "app_id": Tables.app,
                    "entry_id": TimeOrderedID.firstEntry(at: Tables.moment), "event": "member.created",
                    "actor": "player", "door": "http-api", "happened_at": Tables.moment,
                ])
            for query in PlannedQuery.all { try Self.check(query, tx, engine) }
        }
    }

    @Test("What another test wrote and took back changes no plan", arguments: Engine.available)
    func plansAfterAnotherTest(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                try JobQueries.insert(
                    "a", kind: JobKind("kind"), lane: "a", sealed: Tables.bytes, app: Tables.app, at: Tables.moment,
                    in: draft)
            }
        }
        try await Tables.transactAlone(engine) { tx in
            let plans = try tx.plans { tx in
                _ = try JobQueries.jobs(in: .dead, before: Tables.id(at: Tables.moment), limit: 9, in: tx)
            }
            #expect(plans.contains { $0.steps.contains { $0.contains("jobs_open") } }, "\(plans)")
        }
    }

    private static func check(_ query: PlannedQuery, _ tx: Transaction, _ engine: Engine) throws {
        let plans = try tx.plans(of: query.run)
        let expected = engine == .sqlite ? query.sqlite : query.postgresql
        for index in expected.uses {
            #expect(plans.contains { $0.steps.contains { $0.contains(index) } }, "\(query.name), \(index): \(plans)")
        }
        for plan in plans {
            for step in plan.costly {
                #expect(expected.permits.contains { step.contains($0) }, "\(query.name), \(step): \(plan)")
            }
        }
    }
}

/// A query with what its plans have.
private struct PlannedQuery: Sendable {
    struct Expected {
        /// A part of a step for each index.
        let uses: [String]
        /// Steps that are right although they look through rows or sort them, because something else bounds their number.
        var permits: [String] = []
    }

    let name: String
    let sqlite: Expected
    let postgresql: Expected
    let run: @Sendable (Reader) throws -> Void

    init(
        _ name: String, sqlite: [String], permits: [String] = [], postgresql: [String], permitsSort: Bool = false,
        _ run: @escaping @Sendable (Reader) throws -> Void
    ) {
        self.name = name
        self.sqlite = Expected(uses: sqlite, permits: permits)
        self.postgresql = Expected(uses: postgresql, permits: permitsSort ? ["Sort"] : [])
        self.run = run
    }

    private static let app = Tables.app
    private static let user = Tables.nobody
    private static let kim = OperatorID("kim")
    private static let moment = Tables.moment
    private static let ids = ""..<TimeOrderedID.end

    static var all: [PlannedQuery] { members + bans + histories + refusals + jobs + records }

    private static let members = [
        PlannedQuery(
            "the first member", sqlite: ["members USING PRIMARY KEY (app_id=?)"], postgresql: ["members_pkey"]
        ) { tx in _ = try MemberQueries.first(of: app, in: tx) },
        PlannedQuery(
            "members with a provider", sqlite: ["members USING PRIMARY KEY", "identities_2 (user_id=? AND app_id=?"],
            permits: ["SCAN m", "ORDER BY"], postgresql: ["members_pkey", "identities_one_per_idp"]
        ) { tx in try browse(MemberFilter(has: .google), tx) },
        PlannedQuery(
            "members without a provider",
            sqlite: ["members USING PRIMARY KEY", "identities_2 (user_id=? AND app_id=?"],
            permits: ["SCAN m", "ORDER BY"], postgresql: ["members_pkey", "identities_one_per_idp"]
        ) { tx in try browse(MemberFilter(lacks: .google), tx) },
        PlannedQuery(
            "members whose withdrawal is pending", sqlite: ["members_withdrawing"], postgresql: ["members_due"],
            permitsSort: true
        ) { tx in _ = try MemberQueries.withdrawing(from: app, limit: 9, in: tx) },
        PlannedQuery("overdue members", sqlite: ["members_due (due_at>? AND due_at<?)"], postgresql: ["members_due"]) {
            tx in _ = try MemberQueries.overdue(before: moment, limit: 9, in: tx)
        },
        PlannedQuery(
            "the first provider", sqlite: ["identity_providers USING INDEX"], permits: ["ORDER BY"],
            postgresql: ["identity_providers_pkey"], permitsSort: true
        ) { tx in _ = try IdentityProviderQueries.firstEnabled(of: app, in: tx) },
        PlannedQuery(
            "amounts of all apps", sqlite: ["counts USING PRIMARY KEY (app_id=? AND unit=? AND metric=? AND bucket>?)"],
            permits: ["SCAN apps"], postgresql: ["counts_pkey"]
        ) { tx in _ = try CountQueries.sumsOfApps(.day, .activeMember, from: moment, in: tx) },
        PlannedQuery(
            "amounts of several metrics",
            sqlite: ["counts USING PRIMARY KEY (app_id=? AND unit=? AND metric=? AND bucket>? AND bucket<?)"],
            permits: ["SCAN metrics", "CONSTANT ROWS"], postgresql: ["counts_pkey"]
        ) { tx in
            _ = try CountQueries.counts(of: app, .day, metrics, from: moment, until: moment + 9, in: tx)
        },
        PlannedQuery(
            "sums of several metrics",
            sqlite: ["counts USING PRIMARY KEY (app_id=? AND unit=? AND metric=? AND bucket>? AND bucket<?)"],
            permits: ["SCAN metrics", "CONSTANT ROWS", "GROUP BY"], postgresql: ["counts_pkey"], permitsSort: true
        ) { tx in
            _ = try CountQueries.sums(
                of: app, metrics, every: 7, but: (moment, moment), from: moment, until: moment + 9, in: tx)
        },
        PlannedQuery(
            "whether anything was counted", sqlite: ["counts USING PRIMARY KEY (app_id=? AND unit=? AND metric=?)"],
            permits: ["SCAN metrics", "CONSTANT ROWS"], postgresql: ["counts_pkey"]
        ) { tx in _ = try CountQueries.hasCounted(metrics, label: "google", of: app, in: tx) },
    ]

    private static let metrics = [Metric.newMember, .returningLogin, .activeMember]

    private static func browse(_ filter: MemberFilter, _ tx: Reader) throws {
        for order in [MemberOrder.newest, .oldest] {
            let cursor = MemberCursor(order)
            _ = try MemberQueries.browse(filter, from: cursor, app: app, limit: 9, lookingAt: 99, in: tx)
            _ = try MemberQueries.lastLookedAt(filter, from: cursor, app: app, lookingAt: 99, in: tx)
        }
    }

    private static let bans = [
        PlannedQuery("the number of bans", sqlite: ["members_banned (app_id=?"], postgresql: ["members_banned"]) { tx in
            _ = try BanQueries.countInForce(at: moment, app: app, limit: 9, in: tx)
        },
        PlannedQuery(
            "bans in force", sqlite: ["members_banned (app_id=?", "b USING PRIMARY KEY"],
            permits: ["SCAN m", "ORDER BY"], postgresql: ["members_banned", "bans_pkey"]
        ) { tx in _ = try BanQueries.inForce(at: moment, app: app, before: Tables.id(at: moment), limit: 9, in: tx) },
        PlannedQuery(
            "bans in force by template", sqlite: ["members_banned (app_id=?", "b USING PRIMARY KEY"],
            permits: ["SCAN m", "GROUP BY"], postgresql: ["members_banned", "bans_pkey"], permitsSort: true
        ) { tx in _ = try BanQueries.countsOfTemplates(at: moment, app: app, lookingAt: 9, in: tx) },
        PlannedQuery(
            "a page of bans in force", sqlite: ["members_banned (app_id=?", "b USING PRIMARY KEY"],
            permits: ["ORDER BY"], postgresql: ["members_banned", "bans_pkey"], permitsSort: true
        ) { tx in
            let page = try Page(number: 0, size: 9, isDescending: true)
            _ = try BanQueries.current(at: moment, page, app: app, in: tx)
        },
        PlannedQuery(
            "a member's bans", sqlite: ["bans_user (user_id=?"], permits: ["ORDER BY"], postgresql: ["bans_"],
            permitsSort: true
        ) { tx in _ = try BanQueries.bans(of: user, app: app, limit: 9, in: tx) },
    ]

    private static let histories = [
        PlannedQuery(
            "changes of identities", sqlite: ["ledger USING PRIMARY KEY (user_id=? AND app_id=? AND entry_id>?)"],
            postgresql: ["_pkey on ledger_"]
        ) { tx in _ = try LedgerQueries.changesOfIdentities(of: user, app: app, since: moment, limit: 9, in: tx) },
        PlannedQuery(
            "a kind of entries", sqlite: ["ledger USING PRIMARY KEY (user_id=? AND app_id=? AND entry_id<?)"],
            postgresql: ["_pkey on ledger_"]
        ) { tx in _ = try LedgerQueries.entries(of: user, app: app, before: nil, about: .bans, limit: 9, in: tx) },
        PlannedQuery(
            "completed withdrawals", sqlite: ["ledger_withdrawals"], permits: ["SCAN ledger USING INDEX"],
            postgresql: ["_entry_id_idx"]
        ) { tx in _ = try LedgerQueries.completedWithdrawals(of: app, before: nil, limit: 9, in: tx) },
        PlannedQuery("a conflict", sqlite: ["forcing_tickets_user (user_id=?"], postgresql: ["forcing_tickets_"]) {
            tx in
            _ = try TicketQueries.conflict(of: user, with: .google, app: app, at: moment, in: tx)
        },
        PlannedQuery(
            "notes", sqlite: ["member_notes USING PRIMARY KEY (user_id=? AND app_id=?)"], permits: ["ORDER BY"],
            postgresql: ["member_notes_pkey"], permitsSort: true
        ) { tx in _ = try NoteQueries.notes(of: user, app: app, limit: 9, in: tx) },
        PlannedQuery(
            "notes of a time", sqlite: ["PRIMARY KEY (user_id=? AND app_id=? AND note_id>? AND note_id<?)"],
            postgresql: ["member_notes_"]
        ) { tx in _ = try NoteQueries.notes(of: user, app: app, in: ids, limit: 9, in: tx) },
        PlannedQuery(
            "pinned notes", sqlite: ["member_notes USING PRIMARY KEY (user_id=? AND app_id=?)"],
            postgresql: ["member_notes_pkey"]
        ) { tx in _ = try NoteQueries.pinned(of: user, app: app, limit: 9, in: tx) },
    ]

    private static let refusals = [
        PlannedQuery(
            "refused calls", sqlite: ["refusals_app (app_id=? AND refusal_id>? AND refusal_id<?)"],
            postgresql: ["refusals_"]
        ) { tx in _ = try RefusalQueries.calls(of: app, since: ids.lowerBound, before: nil, limit: 500, in: tx) },
        PlannedQuery(
            "outlines of refused calls", sqlite: ["refusals_app (app_id=? AND refusal_id>? AND refusal_id<?)"],
            postgresql: ["refusals_"]
        ) { tx in try outlines(of: nil, tx) },
        PlannedQuery(
            "outlines of a member's refused calls",
            sqlite: ["refusals_member (user_id=? AND app_id=? AND refusal_id>? AND refusal_id<?)"],
            postgresql: ["refusals_member"]
        ) { tx in try outlines(of: user, tx) },
        PlannedQuery(
            "a member's refused calls",
            sqlite: ["refusals_member (user_id=? AND app_id=? AND refusal_id>? AND refusal_id<?)"],
            postgresql: ["refusals_member"]
        ) { tx in _ = try RefusalQueries.calls(of: user, app: app, limit: 500, in: tx) },
        PlannedQuery(
            "a member's conflicts",
            sqlite: ["refusals_member (user_id=? AND app_id=? AND refusal_id>? AND refusal_id<?)"],
            postgresql: ["refusals_member"]
        ) { tx in _ = try RefusalQueries.calls(of: user, app: app, in: ids, areConflicts: true, limit: 9, in: tx) },
    ]

    private static func outlines(of user: UserID?, _ tx: Reader) throws {
        _ = try RefusalQueries.outlines(
            of: user, app: app, since: nil, before: nil, limit: 500, withCall: true, withClient: true, in: tx)
    }

    private static let jobs = [
        PlannedQuery("jobs", sqlite: ["SCAN jobs"], permits: ["SCAN jobs"], postgresql: ["jobs_pkey"]) { tx in
            _ = try JobQueries.jobs(in: nil, limit: 9, in: tx)
        },
        PlannedQuery(
            "jobs that wait", sqlite: ["jobs_open"], permits: ["SCAN jobs USING INDEX"], postgresql: ["jobs_open"]
        ) { tx in _ = try JobQueries.jobs(in: .waiting, limit: 9, in: tx) },
        PlannedQuery(
            "jobs that were given up", sqlite: ["jobs_open (job_id<?)"], postgresql: ["jobs_open"]
        ) { tx in _ = try JobQueries.jobs(in: .dead, before: Tables.id(at: moment), limit: 9, in: tx) },
        PlannedQuery(
            "the number of an app's jobs that were given up", sqlite: ["jobs_open"],
            permits: ["SCAN jobs USING INDEX", "SCAN newest"], postgresql: ["jobs_open"]
        ) { tx in _ = try JobQueries.countDead(of: app, among: 9, in: tx) },
        PlannedQuery(
            "stuck jobs", sqlite: ["jobs_open"], permits: ["SCAN jobs USING INDEX"], postgresql: ["jobs_"]
        ) { tx in _ = try JobQueries.stuck(RevokeTokens.kind, of: app, limit: 9, in: tx) },
        PlannedQuery(
            "failed jobs", sqlite: ["jobs_waiting (next_at>?)"], postgresql: ["jobs_waiting"], permitsSort: true
        ) { tx in _ = try JobQueries.failed(RevokeTokens.kind, of: app, after: moment, limit: 9, in: tx) },
        PlannedQuery("the first job of a lane", sqlite: ["jobs_lanes (lane>?)"], postgresql: ["jobs_lanes"]) { tx in
            _ = try JobQueries.first(after: "a", in: tx)
        },
        PlannedQuery(
            "what jobs are about", sqlite: ["jobs USING PRIMARY KEY (job_id=?)"], permits: ["CONSTANT ROWS"],
            postgresql: ["jobs_"]
        ) { tx in _ = try JobQueries.payloads(of: ["a", "b", "c"], in: tx) },
        PlannedQuery(
            "the number of jobs that wait", sqlite: ["jobs_waiting"], permits: ["SCAN jobs USING INDEX"],
            postgresql: ["jobs_"]
        ) { tx in _ = try JobQueries.countWaiting(limit: 9, in: tx) },
        PlannedQuery(
            "the numbers of jobs", sqlite: ["jobs_waiting", "jobs_waiting (next_at<?)", "jobs_open"],
            permits: ["SCAN jobs USING INDEX"], postgresql: ["jobs_", "jobs_open"]
        ) { tx in _ = try JobQueries.counts(lateBefore: moment, in: tx) },
    ]

    private static let records = [
        PlannedQuery(
            "what a person has changed", sqlite: ["operator_actions USING INDEX sqlite_autoindex"],
            permits: ["SCAN operator_actions USING INDEX", "SCAN newest", "ORDER BY"],
            postgresql: ["operator_actions_pkey"]
        ) { tx in _ = try OperatorRecordQueries.targets(of: kim, among: 9, in: tx) },
        PlannedQuery(
            "what some actions have done", sqlite: ["operator_actions_app (app_id=?)"],
            permits: ["SCAN newest", "SCAN (subquery", "CONSTANT ROWS", "ORDER BY"],
            postgresql: ["operator_actions_"], permitsSort: true
        ) { tx in _ = try OperatorRecordQueries.records(of: app, by: ["status.set", "key.rotated"], among: 9, in: tx) },
        PlannedQuery(
            "the people of an app", sqlite: ["operator_actions_app (app_id=?)"], permits: ["SCAN d", "DISTINCT"],
            postgresql: ["operator_actions_"]
        ) { tx in _ = try OperatorRecordQueries.people(of: app, lookingAt: 9, in: tx) },
        PlannedQuery(
            "the people of all apps", sqlite: ["operator_actions USING INDEX sqlite_autoindex"],
            permits: ["SCAN operator_actions USING INDEX", "SCAN d", "DISTINCT"], postgresql: ["operator_actions_pkey"]
        ) { tx in _ = try OperatorRecordQueries.people(of: nil, lookingAt: 9, in: tx) },
        PlannedQuery(
            "what was done to an app", sqlite: ["operator_actions_target (target=? AND app_id=?)"],
            postgresql: ["operator_actions_target"]
        ) { tx in _ = try OperatorRecordQueries.records(of: app, target: ActionTarget.app.text, limit: 9, in: tx) },
        PlannedQuery(
            "a person's reasons in an app", sqlite: ["operator_actions_person (operator_id=? AND app_id=?)"],
            postgresql: ["operator_actions_"]
        ) { tx in _ = try OperatorRecordQueries.reasons(of: kim, app: app, limit: 9, in: tx) },
        PlannedQuery(
            "a person's reasons on the server", sqlite: ["operator_actions_person (operator_id=? AND app_id=?)"],
            postgresql: ["operator_actions_"]
        ) { tx in _ = try OperatorRecordQueries.reasons(of: kim, app: nil, limit: 9, in: tx) },
    ]
}
