import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Jobs, health, audit and operators.
extension Console {
    static func addServerPages(to pages: Pages) {
        pages.server("/jobs", as: .viewer) { page in try await page.jobList() }
        pages.health("/health") { page, isGone in try await page.healthPage(isGone) }
        pages.health("/health/text") { page, isGone in try await page.healthText(isGone) }
        pages.app("/audit", as: .support) { page in try await page.auditList() }
        pages.app("/audit.csv", as: .support) { page in try await page.auditFile() }
        pages.server("/audit", as: .owner) { page in try await page.serverAuditList() }
        pages.server("/audit.csv", as: .owner) { page in try await page.auditFile() }
        pages.server("/operators", as: .owner) { page in try await page.operatorList() }
    }

    static let jobColumns = ChosenList<JobRecord>(
        name: "jobs",
        columns: [
            .init("jobs.kind") { page, job in Cell(page.text(.kind(of: job))) },
            .init("jobs.about") { page, job in page.jobSubject(job) },
            .init("jobs.app") { page, job in .code(job.app.rawValue, link: page.appAddress(job.app)) },
            .init("jobs.state") { page, job in page.jobState(job) },
            .init("jobs.created") { page, job in .time(job.createdAt, page.local) },
            .init("jobs.next") { page, job in .time(job.state == .waiting ? job.nextAt : job.endedAt, page.local) },
            .init("jobs.error") { page, job in page.jobError(job) },
        ])
}

extension PageRequest {
    func jobList() async throws -> Response {
        let state = query["state"].flatMap { JobRecord.State(rawValue: $0) }
        let jobs = try await run(ListJobs(state: state, before: after, limit: rows + 1))
        var page = Page(words("nav.jobs"), section: "jobs")
        page.isLive = true
        page.actions = may(.operator) ? retries(of: jobs.prefix(rows)) : []
        let states = JobRecord.State.allCases.map { Field.Option($0.rawValue, words("jobs.state.\($0.rawValue)")) }
        let table = listed(
            Console.jobColumns, words("nav.jobs"), Array(jobs.prefix(rows)),
            empty: words(state == nil ? "jobs.empty" : "frame.nothing-matches")
        ) { job, row in
            row.place = job.id
            if job.state == .waiting, may(.operator) { row.actions = jobLinks(job) }
        }
        let filter = Field(
            "state", words("jobs.state"), .choice([Field.Option("", words("frame.all"))] + states),
            value: state?.rawValue ?? "")
        return showList(
            page, paged(table, next: jobs.count > rows ? jobs.dropLast().last?.id : nil), intro: words("jobs.intro"),
            filters: [filter])
    }

    /// The member that a job is about, or else the provider. A job that is over has neither.
    func jobSubject(_ job: JobRecord) -> Cell {
        guard let user = job.user else { return job.provider.map { .provider($0.rawValue, words) } ?? .missing }
        let address = "\(appAddress(job.app))/members/\(FormValues.encoded(user.rawValue))"
        var cell = Cell.code(user.rawValue, link: address)
        cell.provider = job.provider?.rawValue
        cell.note = job.provider.map { providerLabel($0.rawValue) }
        return cell
    }

    /// Links that try all failed jobs of a kind in an app, of those that the page shows.
    private func retries(of jobs: some Sequence<JobRecord>) -> [Link] {
        var links: [Link] = []
        for job in jobs where job.state == .waiting && job.lastError != nil {
            let kind = FormValues.encoded(job.kind.rawValue)
            let link = Link(
                words("jobs.retry-all", ["kind": text(.kind(of: job)), "app": job.app.rawValue]),
                "\(appAddress(job.app))/do/\(RetryFailedJobs.about.name)?kind=\(kind)")
            if !links.contains(where: { $0.address == link.address }) { links.append(link) }
        }
        return Array(links.prefix(4))
    }

    /// Why a job has failed last, which unfolds to its last attempts in one line. Attempts with the same error say it once.
    func jobError(_ job: JobRecord) -> Cell {
        guard !job.failures.isEmpty else { return Cell(job.lastError ?? "–") }
        var groups: [(dates: [String], error: String)] = []
        for failure in job.failures {
            let date = local.absolute(failure.date)
            if groups.last?.error == failure.error {
                groups[groups.count - 1].dates.append(date)
            } else {
                groups.append(([date], failure.error))
            }
        }
        let last = job.lastError ?? words("jobs.failures", ["count": Words.number(job.failures.count)])
        return .content(last) {
            details {
                summary { bdi { last } }
                p(.class("small")) {
                    for (place, group) in groups.enumerated() {
                        place > 0 ? " · " : ""
                        group.dates.joined(separator: ", ")
                        if groups.count > 1 || group.error != job.lastError {
                            ": "
                            bdi { group.error }
                        }
                    }
                }
            }
        }
    }

    func jobState(_ job: JobRecord) -> Cell {
        let style =
            switch job.state {
            case .done: "good"
            case .dead: "bad"
            case .waiting: job.lastError == nil ? "plain" : "warn"
            }
        // How often it was tried belongs to the state: the last of these tries is the one that counts.
        let tries = words(
            "jobs.tries-of", ["tries": Words.number(job.attempts), "most": Words.number(JobRules.attempts)])
        return Cell(words("jobs.state.\(job.state.rawValue)"), badge: style, note: tries)
    }

    fileprivate func appAddress(_ app: AppID) -> String {
        "\(Console.prefix)/apps/\(FormValues.encoded(app.rawValue))"
    }

    /// A job belongs to an app, so what can be done with it is below the app's address.
    private func jobLinks(_ job: JobRecord) -> [Link] {
        [RetryJob.about.name, GiveUpJob.about.name].map { name in
            Link(
                words.optional("row.\(name)") ?? words("deed.\(name)"),
                "\(appAddress(job.app))/do/\(name)?job=\(FormValues.encoded(job.id))")
        }
    }
}

extension PageRequest {
    func operatorList() async throws -> Response {
        let people = try await run(ListOperators())
        var page = Page(words("nav.operators"), section: "operators")
        page.result = try await resultLine()
        page.actions = links([(InviteOperator.self, [:])], style: "primary")
        let records = try await run(.operatorRecords(before: after, limit: 25))
        let isAlone = people.filter { !$0.isDisabled && $0.serverRole == .owner }.count < 2
        return show(page) {
            if isAlone { p(.class("notice warn")) { words("operators.alone") } }
            section(.class("card")) {
                sorted(
                    Table(
                        words("nav.operators"),
                        columns(["operators.name", "operators.state", "operators.grants", "operators.since"]),
                        people.map(operatorRow), empty: words("operators.empty")))
            }
            card("operators.roles") {
                dl(.class("facts")) {
                    for role in ["viewer", "support", "operator", "owner"] {
                        dt { words("role.\(role)") }
                        dd { words("operators.can.\(role)") }
                    }
                }
            }
            if !records.isEmpty {
                card("operators.history") {
                    recordTable(records)
                }
            }
        }
    }

    private func operatorRow(_ other: Operator) -> TableRow {
        let state =
            other.isDisabled
            ? Cell(words("operators.disabled"), badge: "bad")
            : other.isEnrolled
                ? Cell(words("operators.active"), badge: "good") : Cell(words("operators.invited"), badge: "warn")
        let isSelf = other.id == person.id
        let cells = [
            Cell(other.name, note: isSelf ? words("operators.you") : nil), state,
            Cell(words.grants(other.grants)), Cell.time(other.createdAt, local),
        ]
        let name = ["name": other.name]
        guard !isSelf else { return TableRow(cells) }
        return TableRow(
            cells,
            actions: rowLinks(
                other.isDisabled
                    ? [(EnableOperator.self, name)]
                    : [(GrantOperator.self, name), (ResetOperatorFactor.self, name), (DisableOperator.self, name)]))
    }
}
