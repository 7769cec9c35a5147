import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Console {
    static let planMaintenance = DeedKind(
        name: "maintenance.planned", level: .confirmed, role: .operator, section: "launching",
        undo: "maintenance.ended", target: { _ in .app },
        fields: { visit, values in
            visit.fields(of: try await visit.earlier(values).map { MaintenanceForm($0, visit) }, values)
        },
        presets: { visit in visit.maintenancePresets() },
        preview: { visit, values in
            if let window = try visit.maintenance() {
                throw FormProblems([
                    "begin": visit.words(
                        "maintenance.overlaps",
                        ["begin": visit.local.absolute(window.begin), "end": visit.local.absolute(window.end)])
                ])
            }
            let window = try visit.window(values, since: nil)
            return try await visit.preview(of: window, "maintenance.planned", undo: "maintenance.plan-undo")
        },
        perform: { visit, values, call in
            try await call.run(SetMaintenance(visit.window(values, since: nil)))
            return DeedResult(visit.address("launching"))
        })

    static let changeMaintenance = DeedKind(
        name: "maintenance.changed", level: .confirmed, role: .operator, section: "launching",
        undo: "maintenance.changed", target: { _ in .app },
        fields: { visit, values in
            guard values["lengthen"] == nil else { return [] }
            let before = try await visit.earlier(values).map { MaintenanceForm($0, visit) }
            let now = try visit.maintenance().map { MaintenanceForm($0, visit) }
            return visit.fields(of: before ?? now, values)
        },
        preview: { visit, values in
            let old = try visit.requireMaintenance()
            let window = try visit.changed(old, values)
            guard window != old else { throw FormProblems(["end": visit.words("problem.no-change")]) }
            return try await visit.preview(
                of: window, "maintenance.changed", undo: "maintenance.change-undo", from: old)
        },
        perform: { visit, values, call in
            try await call.run(SetMaintenance(visit.changed(visit.requireMaintenance(), values)))
            return DeedResult(visit.address("launching"))
        })

    static let endMaintenance = DeedKind(
        name: "maintenance.ended", level: .confirmed, role: .operator, section: "launching",
        undo: "maintenance.planned", target: { _ in .app },
        preview: { visit, _ in
            let window = try visit.requireMaintenance()
            let isRunning = window.begin <= visit.moment
            return DeedPreview(
                visit.words(isRunning ? "maintenance.end-title" : "maintenance.cancel-title"),
                [
                    visit.words(
                        isRunning ? "maintenance.end-what" : "maintenance.cancel-what",
                        ["begin": visit.local.absolute(window.begin), "end": visit.local.absolute(window.end)]),
                    visit.words("status.when"),
                ], undo: visit.words("maintenance.end-undo"), button: visit.words("deed.maintenance.ended"),
                cancel: visit.address("launching"))
        },
        perform: { visit, _, call in
            _ = try visit.requireMaintenance()
            try await call.run(SetMaintenance(begin: nil, end: nil, message: [:], url: nil, reason: nil))
            return DeedResult(visit.address("launching"))
        })
}

extension SetMaintenance {
    fileprivate init(_ window: App.MaintenanceWindow) {
        self.init(
            begin: window.begin, end: window.end, message: window.message.texts, url: window.url, reason: window.reason)
    }
}

/// What a form about maintenance begins with.
private struct MaintenanceForm {
    let begin: String
    let end: String
    let message: [String: String]
    let url: String?
    let reason: String?

    init(_ window: App.MaintenanceWindow, _ visit: Visit) {
        begin = visit.local.input(window.begin)
        end = visit.local.input(window.end)
        message = window.message.texts
        url = window.url
        reason = window.reason
    }

    /// As it was before an earlier change. A beginning that is over is left out: the window would begin now.
    init(_ state: DeedState, _ visit: Visit) {
        func moment(_ name: String) -> Moment? {
            state.values[name].flatMap { Int64($0) }.map { Moment(milliseconds: $0) }
        }
        begin = moment("maintenance.begin").flatMap { $0 > visit.moment ? visit.local.input($0) : nil } ?? ""
        end = moment("maintenance.end").map { visit.local.input($0) } ?? ""
        message = state.texts("maintenance.message.")
        url = state.values["maintenance.url"]
        reason = state.values["maintenance.reason"]
    }
}

extension Visit {
    /// The window that is open or planned.
    fileprivate func maintenance() throws -> App.MaintenanceWindow? {
        try app().maintenance.flatMap { $0.end > moment ? $0 : nil }
    }

    fileprivate func requireMaintenance() throws -> App.MaintenanceWindow {
        guard let window = try maintenance() else {
            throw Refusal.parameter("maintenance", words("maintenance.none"))
        }
        return window
    }

    // MARK: Form

    /// The windows that are planned most often, each as an address of the form.
    fileprivate func maintenancePresets() -> [Link] {
        func link(_ key: String, _ begin: String?, _ end: String) -> Link {
            let text = words(key, ["zone": local.zoneName(at: moment)])
            return Link(text, deed("maintenance.planned", ["begin": begin, "end": end].compactMapValues(\.self)))
        }
        let soon = moment.adding(seconds: 600)
        return [
            local.next(hour: 3).map {
                link("maintenance.tonight", local.input($0), local.input($0.adding(seconds: 7_200)))
            },
            link("maintenance.soon", local.input(soon), local.input(soon.adding(seconds: 3_600))),
            link("maintenance.at-once", nil, local.input(moment.adding(seconds: 1_800))),
        ].compactMap(\.self)
    }

    fileprivate func fields(of form: MaintenanceForm?, _ values: FormValues) -> [Field] {
        let zone = ["zone": local.zoneName(at: moment)]
        let begin = Field(
            "begin", words("setting.begin"), .time, value: form?.begin ?? "",
            help: words("maintenance.begin-help", zone))
        let end = Field(
            "end", words("setting.end"), .time, value: form?.end ?? "", help: words("time.zone-help", zone),
            isRequired: true)
        return [begin] + which("begin", values) + [end] + which("end", values)
            + messageFields("message", form?.message ?? [:]) + [
                Field(
                    "url", words("setting.url"), value: form?.url ?? "", help: words("maintenance.url-help"),
                    limit: 1_024),
                Field(
                    "reason-word", words("setting.reason-word"), value: form?.reason ?? "",
                    help: words("maintenance.reason-help"), limit: 64),
            ]
    }

    /// Asks which of two equal hours is meant, when the clocks are set back.
    private func which(_ name: String, _ values: FormValues) -> [Field] {
        guard let text = values[name], let first = try? local.moment(from: text, second: false),
            let second = try? local.moment(from: text, second: true), first != second
        else { return [] }
        return [
            Field(
                "\(name)-which", words("maintenance.which"),
                .choice([
                    Field.Option("", words("maintenance.choose")), Field.Option("first", local.universal(first)),
                    Field.Option("second", local.universal(second)),
                ]), value: values["\(name)-which"] ?? "", help: words("maintenance.which-help"))
        ]
    }

    private func moment(_ name: String, _ form: inout FormReader) -> Moment? {
        guard let text = form.values[name] else { return nil }
        do {
            return try local.moment(from: text, second: form.values["\(name)-which"].map { $0 == "second" })
        } catch {
            form.report(
                error == .existsTwice ? "\(name)-which" : name,
                words(error == .existsTwice ? "maintenance.which-problem" : "problem.time.\(error.rawValue)"))
            return nil
        }
    }

    /// The window of a form.
    ///
    /// - Parameter old: the window that is changed. Its beginning may be over.
    fileprivate func window(_ values: FormValues, since old: App.MaintenanceWindow?) throws -> App.MaintenanceWindow {
        var form = FormReader(values, self)
        // A window that is open keeps its beginning unless another one is typed.
        let isOldBegin =
            old.map { old in
                guard let text = values["begin"] else { return old.begin <= moment }
                return text == local.input(old.begin)
            } ?? false
        let typed = isOldBegin ? old?.begin : moment("begin", &form)
        // A form has whole minutes, so a beginning in this minute is now.
        if !isOldBegin, let typed, typed.adding(seconds: 60) <= moment { form.report("begin", words("problem.past")) }
        let begin = isOldBegin ? typed ?? moment : max(typed ?? moment, moment)
        let end = moment("end", &form)
        if values["end"] == nil { form.report("end", words("problem.time.notATime")) }
        if let end, end <= moment { form.report("end", words("problem.past")) }
        if let end, end > moment, end <= begin { form.report("end", words("maintenance.order")) }
        let window = App.MaintenanceWindow(
            begin: begin, end: end ?? begin.adding(seconds: 1), message: LocalizedText(form.texts("message")),
            url: form.page("url"), reason: form.text("reason-word", bytes: 64))
        try form.finish()
        return window
    }

    /// The window after a change, which only makes it half an hour longer or is a whole form.
    fileprivate func changed(
        _ old: App.MaintenanceWindow, _ values: FormValues
    ) throws -> App.MaintenanceWindow {
        guard values["lengthen"] != nil else { return try window(values, since: old) }
        var window = old
        window.end = old.end.adding(seconds: 30 * 60)
        return window
    }

    // MARK: Confirmation

    fileprivate func preview(
        of window: App.MaintenanceWindow, _ name: String, undo: String, from old: App.MaintenanceWindow? = nil
    ) async throws -> DeedPreview {
        var draft = try app()
        draft.maintenance = window
        var sentences = [
            words(
                "maintenance.what",
                [
                    "begin": local.absolute(window.begin), "end": local.absolute(window.end),
                    "length": length(from: window.begin, to: window.end), "in": local.relative(window.begin),
                ])
        ]
        if let old, old.end != window.end {
            sentences.append(words("maintenance.moved", ["before": local.absolute(old.end)]))
        }
        if !draft.status.isPlayable { sentences.append(words("maintenance.closed-anyway")) }
        sentences += try await closedSentences() + [words("maintenance.after")]
        var preview = DeedPreview(
            words("\(name)-title"), sentences, undo: words(undo), button: words("deed.\(name)"),
            cancel: address("launching"))
        preview.playerReads = try await readings(of: draft, at: window.begin)
        return preview
    }
}
