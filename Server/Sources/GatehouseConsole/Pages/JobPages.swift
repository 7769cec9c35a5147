import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    func jobList() async throws -> Response {
        let state = query["state"].flatMap { JobRecord.State(rawValue: $0) }
        let jobs = try await run(ListJobs(state: state, before: after, limit: rows + 1))
        let page = Page(words("nav.jobs"), section: "jobs")
        let states = JobRecord.State.allCases.map { Field.Option($0.rawValue, words("jobs.state.\($0.rawValue)")) }
        let table = Table(
            words("nav.jobs"),
            ["jobs.kind", "jobs.app", "jobs.state", "jobs.tries", "jobs.next", "jobs.error"].map { words($0) },
            jobs.prefix(rows).map { job in
                let isWaiting = job.state == .waiting
                return TableRow(
                    [
                        Cell(text(.kind(of: job))),
                        .code(job.app.rawValue, link: appAddress(job.app)), jobState(job), Cell(String(job.attempts)),
                        isWaiting ? .time(job.nextAt, local) : Cell("–"), Cell(job.lastError ?? "–"),
                    ], actions: isWaiting && may(.operator) ? jobLinks(job) : [])
            }, empty: words(state == nil ? "jobs.empty" : "frame.nothing-matches"))
        let filter = Field(
            "state", words("jobs.state"), .choice([Field.Option("", words("frame.all"))] + states),
            value: state?.rawValue ?? "")
        return showList(
            page, paged(table, next: jobs.count > rows ? jobs.dropLast().last?.id : nil), intro: words("jobs.intro"),
            filters: [filter])
    }

    func jobState(_ job: JobRecord) -> Cell {
        let style =
            switch job.state {
            case .done: "good"
            case .dead: "bad"
            case .waiting: job.lastError == nil ? "plain" : "warn"
            }
        return Cell(words("jobs.state.\(job.state.rawValue)"), badge: style)
    }

    private func appAddress(_ app: AppID) -> String {
        "\(Console.prefix)/apps/\(FormValues.encoded(app.rawValue))"
    }

    /// A job belongs to an app, so what can be done with it is below the app's address.
    private func jobLinks(_ job: JobRecord) -> [Link] {
        ["job.retried", "job.given-up"].map { name in
            Link(words("deed.\(name)"), "\(appAddress(job.app))/do/\(name)?job=\(FormValues.encoded(job.id))")
        }
    }
}
