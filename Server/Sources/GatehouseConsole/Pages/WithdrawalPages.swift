import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    func withdrawalPage() async throws -> Response {
        var page = Page(words("nav.withdrawals"), section: "withdrawals")
        page.result = try await resultLine()
        page.values = [
            "pending": try await pendingWithdrawals(), "stuck": try await stuckRevocations(),
            "completed": try await completedWithdrawals(),
        ]
        return try await show(page, "withdrawals")
    }

    private func pendingWithdrawals() async throws -> Table {
        let pending = try await run(ListPendingWithdrawals(limit: rows))
        return Table(
            words("withdrawals.pending"), [words("members.id"), words("members.withdraws")],
            pending.map { row in
                TableRow(
                    [.code(row.user.rawValue, link: memberLink(row.user)), .time(row.withdrawsAt, local)],
                    actions: rowLinks([("withdrawal.cancelled", ["user": row.user.rawValue])]))
            }, empty: words("withdrawals.none-pending"))
    }

    private func stuckRevocations() async throws -> Table {
        let jobs = try await run(ListStuckRevocations(limit: rows))
        return Table(
            words("withdrawals.stuck"), ["jobs.state", "jobs.error", "jobs.tries", "jobs.next"].map { words($0) },
            jobs.map { jobRow($0) }, empty: words("withdrawals.none-stuck"))
    }

    /// A job of the app that the address names.
    private func jobRow(_ job: JobRecord) -> TableRow {
        let isWaiting = job.state == .waiting
        return TableRow(
            [
                jobState(job), Cell(job.lastError ?? "–"), Cell(String(job.attempts)),
                isWaiting ? .time(job.nextAt, local) : Cell("–"),
            ],
            actions: isWaiting ? rowLinks([("job.retried", ["job": job.id]), ("job.given-up", ["job": job.id])]) : [])
    }

    private func completedWithdrawals() async throws -> Table {
        let entries = try await run(ListCompletedWithdrawals(before: after, limit: rows + 1))
        let table = Table(
            words("withdrawals.done"), [words("members.id"), words("timeline.when"), words("withdrawals.origin")],
            entries.prefix(rows).map { entry in
                let origin = entry.details["event"].flatMap { words.optional("withdrawals.origin.\($0)") }
                return TableRow([
                    .code(entry.user.rawValue), .time(Moment(milliseconds: entry.date), local),
                    Cell(origin ?? words.optional("actor.\(entry.origin.actor.rawValue)") ?? "–"),
                ])
            }, empty: words("withdrawals.none-done"))
        return paged(table, next: entries.count > rows ? entries.dropLast().last?.id : nil)
    }
}

extension Console {
    static let withdrawalsTemplate = Template(
        "withdrawals",
        """
        {{<layout}}{{$content}}
        <section class="card" id="pending"><h2>{{t.withdrawals.pending}}</h2>{{#pending}}{{> table}}{{/pending}}</section>
        <section class="card" id="stuck"><h2>{{t.withdrawals.stuck}}</h2><p class="small">{{t.withdrawals.stuck-help}}</p>{{#stuck}}{{> table}}{{/stuck}}</section>
        <section class="card" id="completed"><h2>{{t.withdrawals.done}}</h2><p class="small">{{t.withdrawals.done-help}}</p>{{#completed}}{{> table}}{{/completed}}</section>
        {{/content}}{{/layout}}
        """)
}
