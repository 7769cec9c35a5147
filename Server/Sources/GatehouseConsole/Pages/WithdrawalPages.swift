import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension PageRequest {
    /// How much the lists weigh that have one page, so that there is room for the third.
    private static let (pendingBytes, stuckBytes) = (6 * 1_024, 4 * 1_024)

    func withdrawalPage() async throws -> Response {
        var page = Page(words("nav.withdrawals"), section: "withdrawals")
        page.result = try await resultLine()
        let user = query["user"].map { UserID(Self.plain($0, limit: 64)) }
        let found = if let user { try await self.found(user) } else { nil as SectionCard? }
        let members = try await run(.pendingWithdrawals(limit: rows + 1))
        var pending = pendingWithdrawals(members.prefix(rows))
        let hasMore = pending.limit(to: Self.pendingBytes) || members.count > rows
        let jobs = try await run(ListStuckRevocations(limit: rows + 1))
        var stuck = stuckRevocations(jobs.prefix(rows))
        let hasMoreStuck = stuck.limit(to: Self.stuckBytes) || jobs.count > rows
        return show(page, try await completedWithdrawals()) { completed in
            filters(
                [Field("user", words("members.id"), value: user?.rawValue ?? "", limit: 64)],
                to: request.uri.path, button: words("frame.find-button"))
            if let found { found }
            card("withdrawals.pending", id: "pending") {
                pending
                if hasMore { more(Link(words("nav.members"), address("members?status=T"))) }
            }
            card("withdrawals.stuck", id: "stuck") {
                p(.class("small")) { words("withdrawals.stuck-help") }
                stuck
                if hasMoreStuck {
                    more(person.serverRole.map { _ in Link(words("nav.jobs"), serverAddress("/jobs")) })
                }
                if jobs.contains(where: { $0.state == .waiting }) {
                    Buttons([offer(RetryFailedJobs.self)].compactMap { $0 })
                }
            }
            card("withdrawals.done", id: "completed") {
                p(.class("small")) { words("withdrawals.done-help") }
                completed
            }
        }
    }

    /// What stands below the beginning of a list.
    ///
    /// - Parameter link: to the whole list, if the person may see one.
    private func more(_ link: Link?) -> HTML {
        p(.class("small")) {
            words("withdrawals.more")
            if let link {
                " "
                link
            }
        }
    }

    /// What there is about one member's withdrawal.
    private func found(_ user: UserID) async throws -> SectionCard {
        let outcome = try await run(.withdrawal(of: user))
        var card = SectionCard(words("withdrawals.found", ["user": user.rawValue]))
        guard outcome.withdrawsAt != nil || outcome.completed != nil else {
            card.lines = [words("withdrawals.found-none")]
            return card
        }
        card.facts = [Fact(words("members.id"), .code(user.rawValue, link: memberLink(user)))]
        if let end = outcome.withdrawsAt {
            card.facts += [
                Fact(words("members.withdraws"), .time(end, local)), Fact(words("withdrawals.left"), daysLeft(end)),
            ]
            card.actions = [offer(CancelMemberWithdrawal.self, ["user": user.rawValue])].compactMap { $0 }
        }
        if let entry = outcome.completed {
            let date = Moment(milliseconds: entry.date)
            card.facts += [
                Fact(words("withdrawals.done"), .time(date, local)),
                Fact(words("withdrawals.origin"), withdrawalOrigin(entry)),
            ]
        }
        return card
    }

    /// The days until a withdrawal is completed; one that has begun counts.
    private func daysLeft(_ end: Moment) -> Cell {
        let (left, overflow) = end.milliseconds.subtractingReportingOverflow(moment.milliseconds)
        let days = overflow || left <= 0 ? 0 : (left - 1) / 86_400_000 + 1
        return Cell(words("withdrawals.days", ["count": Words.number(days)]), badge: days <= 1 ? "warn" : "plain")
    }

    private func withdrawalOrigin(_ entry: LedgerEntry) -> Cell {
        let origin = entry.details["event"].flatMap { words.optional("withdrawals.origin.\($0)") }
        return Cell(origin ?? words.optional("actor.\(entry.origin.actor.rawValue)") ?? "–")
    }

    private func pendingWithdrawals(_ pending: some Sequence<PendingWithdrawal>) -> Table {
        Table(
            words("withdrawals.pending"), ["members.id", "withdrawals.left", "members.withdraws"].map { words($0) },
            pending.map { row in
                TableRow(
                    [member(row.user), daysLeft(row.withdrawsAt), .time(row.withdrawsAt, local)],
                    actions: rowLinks([(CancelMemberWithdrawal.self, ["user": row.user.rawValue])]))
            }, empty: words("withdrawals.none-pending"))
    }

    private func stuckRevocations(_ jobs: some Sequence<JobRecord>) -> Table {
        Table(
            words("withdrawals.stuck"),
            ["jobs.about", "jobs.state", "jobs.error", "jobs.next"].map { words($0) },
            jobs.map { jobRow($0) }, empty: words("withdrawals.none-stuck"))
    }

    /// A job of the app that the address names.
    private func jobRow(_ job: JobRecord) -> TableRow {
        let isWaiting = job.state == .waiting
        return TableRow(
            [
                jobSubject(job), jobState(job), jobError(job),
                isWaiting ? .time(job.nextAt, local) : Cell("–"),
            ],
            actions: isWaiting ? rowLinks([(RetryJob.self, ["job": job.id]), (GiveUpJob.self, ["job": job.id])]) : [])
    }

    private func completedWithdrawals() async throws -> Table {
        let entries = try await run(.completedWithdrawals(before: after, limit: rows + 1))
        let table = Table(
            words("withdrawals.done"), [words("members.id"), words("timeline.when"), words("withdrawals.origin")],
            entries.prefix(rows).map { entry in
                var row = TableRow([
                    member(entry.user), .time(Moment(milliseconds: entry.date), local), withdrawalOrigin(entry),
                ])
                row.place = entry.id
                return row
            }, empty: words("withdrawals.none-done"))
        return paged(table, next: entries.count > rows ? entries.dropLast().last?.id : nil)
    }
}
