import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    func withdrawalPage() async throws -> Response {
        var page = Page(words("nav.withdrawals"), section: "withdrawals")
        page.result = try await resultLine()
        let pending = try await pendingWithdrawals()
        let stuck = try await stuckRevocations()
        let completed = try await completedWithdrawals()
        return show(page) {
            card("withdrawals.pending", id: "pending") {
                pending
            }
            card("withdrawals.stuck", id: "stuck") {
                p(.class("small")) { words("withdrawals.stuck-help") }
                stuck
            }
            card("withdrawals.done", id: "completed") {
                p(.class("small")) { words("withdrawals.done-help") }
                completed
            }
        }
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
