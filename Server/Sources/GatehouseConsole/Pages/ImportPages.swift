import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// The imports of an app. The command alone begins, resumes and undoes them.
extension Console {
    static func addImports(to pages: Pages) {
        pages.app("/imports", as: ImportRun.role) { page in try await page.importList() }
        pages.app("/imports/:run", as: ImportRun.role) { page in try await page.importPage() }
    }
}

extension PageRequest {
    /// The address of the page of an import.
    func importLink(_ id: String) -> String { address("imports/\(FormValues.encoded(id))") }

    fileprivate func importList() async throws -> Response {
        let runs = try await run(.importRuns(before: after, limit: rows + 1))
        var page = Page(words("nav.imports"), section: "imports")
        page.isLive = isLive || runs.contains { $0.isGoingOn(at: moment) }
        let table = Table(
            words("nav.imports"),
            columns([
                "imports.begun", "imports.source", "imports.state", "imports.imported", "imports.skipped",
                "imports.rejected", "bans.by",
            ]), runs.prefix(rows).map(row), empty: words("imports.empty")
        ).wrapping
        return show(page) {
            p { words("imports.intro") }
            livePart("imports") { paged(table, next: runs.count > rows ? runs.dropLast().last?.id : nil) }
        }
    }

    private func row(_ run: ImportRun) -> TableRow {
        var begun = Cell.time(run.begunAt, local)
        begun.link = importLink(run.id)
        var state = state(of: run)
        let pace = pace(of: run)
        state.note = [progress(of: run), pace.speed, pace.left].compactMap(\.self).joined(separator: " · ")
        let counts = try? run.progress
        return TableRow(
            [begun, Cell(run.source), state]
                + [counts?.imported, counts?.skippedRecords, counts?.rejectedRecords].map(amount)
                + [Cell(run.begunBy)])
    }

    private func amount(_ count: Int?) -> Cell { count.map { Cell(Words.number($0)) } ?? .missing }

    private func state(of run: ImportRun) -> Cell {
        switch run.state {
        case .done: Cell(words("imports.state.done"), badge: "good")
        case .undone: Cell(words("imports.state.undone"), badge: "plain")
        case .begun where run.isGoingOn(at: moment): Cell(words("imports.state.going"), badge: "plain")
        case .begun: Cell(words("imports.state.cut"), badge: "warn")
        }
    }

    // MARK: How far an import is

    /// How many records were read, of one that has not ended.
    private func progress(of run: ImportRun) -> String? {
        guard run.state == .begun, let read = (try? run.progress)?.read else { return nil }
        guard let records = run.records else { return words("imports.progress-read", ["count": Words.number(read)]) }
        return words("imports.progress-of", ["count": Words.number(read), "total": Words.number(records)])
    }

    /// The speed of an import that goes on, and how long it takes at this speed.
    private func pace(of run: ImportRun) -> (speed: String?, left: String?) {
        guard run.isGoingOn(at: moment), let speed = try? run.speed else { return (nil, nil) }
        return (
            words("imports.per-second", ["count": Words.number(speed.recordsPerSecond)]),
            speed.secondsLeft.map { local.duration(seconds: $0) }
        )
    }

    // MARK: One import

    fileprivate func importPage() async throws -> Response {
        let found: ImportRun
        do {
            found = try await run(.importRun(Self.plain(segment("run"), limit: 64)))
        } catch is ImportFailure {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        var page = Page(words("imports.title", ["source": found.source]), section: "imports")
        page.crumbs = [Link(words("nav.imports"), address("imports"))]
        page.isLive = isLive || found.isGoingOn(at: moment)
        return show(page) {
            livePart("import") {
                card("imports.progress") { Facts(facts(of: found)) }
                if let counts = try? found.progress { self.counts(counts, of: found) }
                if let options = try? found.choices { report(of: found, options) }
            }
        }
    }

    private func facts(of run: ImportRun) -> [Fact] {
        let options = try? run.choices
        let pace = pace(of: run)
        let facts: [(key: String, value: Cell?)] = [
            ("imports.state", state(of: run)), ("imports.progress", progress(of: run).map { Cell($0) }),
            ("imports.speed", pace.speed.map { Cell($0) }), ("imports.left", pace.left.map { Cell($0) }),
            ("imports.begun", .time(run.begunAt, local)), ("imports.ended", run.endedAt.map { .time($0, local) }),
            ("bans.by", Cell(run.begunBy)), ("imports.source", .code(run.source)), ("imports.run", .code(run.id)),
            ("imports.file", options.map { .code($0.file) }),
            (
                "imports.limit",
                options?.rate.map { Cell(words("imports.per-second", ["count": Words.number($0)])) }
            ),
        ]
        return facts.compactMap { key, value in value.map { Fact(words(key), $0) } }
    }

    @HTMLBuilder private func counts(_ counts: ImportCounts, of run: ImportRun) -> HTML {
        card("imports.records") {
            Facts(
                [
                    ("imports.read", counts.read), ("imports.created", counts.created),
                    ("imports.unchanged", counts.unchanged), ("imports.extended", counts.extended),
                    ("imports.adopted", counts.adopted), ("imports.skipped", counts.skippedRecords),
                    ("imports.rejected", counts.rejectedRecords),
                ].map { Fact(words($0), amount($1)) })
        }
        if !counts.identities.isEmpty {
            card("imports.identities") {
                Facts(counts.identities.sorted { $0.key < $1.key }.map { Fact(providerLabel($0), amount($1)) })
            }
        }
        card("imports.codes", id: "codes") { codes(of: counts) }
    }

    /// The codes that the report has, with how many records each of them has kept out, or has left a part of out.
    private func codes(of counts: ImportCounts) -> Table {
        let kinds = [("skipped", counts.skipped), ("rejected", counts.rejected), ("left-out", counts.notes)]
        let rows = kinds.flatMap { kind, codes in
            codes.sorted { $0.key < $1.key }.map { code, count in
                TableRow([
                    .code(code), Cell(words("imports.what.\(kind)")),
                    Cell(words.optional("imports.code.\(code)") ?? "–"), amount(count),
                ])
            }
        }
        return Table(
            words("imports.codes"), columns(["imports.code", "imports.what", "imports.meaning", "imports.records"]),
            rows, empty: words("imports.clean")
        ).wrapping
    }

    /// What the command has written for its operator, and the commands that go on from there.
    private func report(of run: ImportRun, _ options: ImportOptions) -> HTML {
        let files = [
            ("conflicts.jsonl", "conflicts"), ("rejected.jsonl", "rejected"), ("unmapped.jsonl", "unmapped"),
            ("ids.csv", "ids"),
        ]
        let isCut = run.state == .begun && !run.isGoingOn(at: moment)
        let commands = isCut ? ["resume", "undo"] : run.state == .done ? ["verify", "undo", "forget"] : []
        let app = place?.app.id.rawValue ?? ""
        return card("imports.report", id: "report") {
            p { words("imports.report-where") }
            Facts(
                [Fact(words("imports.folder"), .code("\(options.reports)/\(run.id)"))]
                    + files.map { Fact($0, Cell(words("imports.report.\($1)"))) }
                    + commands.map {
                        Fact(words("imports.\($0)"), .code("gatehouse import \($0) --app \(app) \(run.id)"))
                    })
        }
    }
}
