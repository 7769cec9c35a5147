import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension Console {
    /// The statuses that an operator can set. That of a service that has ended is an owner's (``terminate``).
    private static let statuses = LaunchingStatus.named.map(\.status).filter { $0 != .terminated }

    static let setStatus = DeedKind(
        name: "status.set", level: .confirmed, role: .operator, section: "launching", undo: "status.set",
        target: { _ in .app },
        fields: { visit, values in
            let app = try visit.app()
            let before = try await visit.earlier(values)
            let texts = before?.texts("statusMessage.") ?? app.statusMessage.texts
            let status = before?.values["status"] ?? String(app.status.rawValue)
            return [
                Field(
                    "status", visit.words("launching.status"),
                    .choice(
                        statuses.map { status in
                            Field.Option(String(status.rawValue), visit.statusCell(status).text)
                        }), value: status, help: visit.words("status.help"))
            ] + visit.messageFields("message", texts)
        },
        preview: { visit, values in
            let (status, message) = try status(values, visit)
            var draft = try visit.app()
            guard draft.status != status || draft.statusMessage != LocalizedText(message) else {
                throw FormProblems(["status": visit.words("problem.no-change")])
            }
            let before = visit.statusCell(draft.status).text
            draft.status = status
            draft.statusMessage = LocalizedText(message)
            var preview = DeedPreview(
                visit.words("status.title", ["status": visit.statusCell(status).text]),
                [
                    visit.words("status.what", ["before": before, "after": visit.statusCell(status).text]),
                    visit.words("status.when"),
                ] + (status.isPlayable ? [visit.words("status.open")] : try await visit.closedSentences()),
                undo: visit.words("status.undo"), button: visit.words("deed.status.set"),
                cancel: visit.address("launching"), isDangerous: !status.isPlayable)
            preview.playerReads = try await visit.readings(of: draft, at: nil)
            return preview
        },
        perform: { visit, values, call in
            let (status, message) = try status(values, visit)
            try await call.run(SetStatus(status: status, message: message))
            return DeedResult(visit.address("launching"))
        })

    private static func status(
        _ values: FormValues, _ visit: Visit
    ) throws -> (LaunchingStatus, [String: String]) {
        var form = FormReader(values, visit)
        let status = statuses.first { String($0.rawValue) == values["status"] }
        if status == nil { form.report("status", visit.words("problem.choice")) }
        let message = form.texts("message")
        try form.finish()
        return (status ?? .inService, message)
    }

    static let terminate = DeedKind(
        name: "status.terminated", level: .typed, role: .owner, section: "launching", undo: "status.set",
        target: { _ in .app },
        fields: { visit, _ in visit.messageFields("message", try visit.app().statusMessage.texts) },
        preview: { visit, values in
            var form = FormReader(values, visit)
            let message = form.texts("message")
            try form.finish()
            var draft = try visit.app()
            draft.status = .terminated
            draft.statusMessage = LocalizedText(message)
            var preview = DeedPreview(
                visit.words("terminate.title", ["name": draft.name]),
                [visit.words("terminate.what"), visit.words("status.when")] + (try await visit.closedSentences()),
                undo: visit.words("status.undo"), button: visit.words("deed.status.terminated"),
                cancel: visit.address("launching"), isDangerous: true)
            preview.playerReads = try await visit.readings(of: draft, at: nil)
            preview.typed = draft.id.rawValue
            return preview
        },
        perform: { visit, values, call in
            try await call.run(SetStatus(status: .terminated, message: values.texts("message")))
            return DeedResult(visit.address("launching"))
        })

    // MARK: Kick-out

    static let kickOutEveryone = DeedKind(
        name: "kick-out.everyone", level: .typed, role: .operator, section: "kick-out", target: { _ in .app },
        fields: { visit, values in
            let live = try await visit.run(CountLiveSessions())
            // The number of this page is typed on the next one. Players log in all the time, so it is not counted again there.
            return [Field("live", "", .hidden, value: String(live.count))] + visit.messageFields("message", [:])
        },
        preview: { visit, values in
            var form = FormReader(values, visit)
            let message = form.texts("message")
            let typed = form.number("live", 0...1_000_000_000)
            try form.finish()
            let live = try await visit.run(CountLiveSessions())
            var preview = DeedPreview(
                visit.words("kick-out.everyone-title"),
                [
                    visit.text(.live(live)), visit.words("kick-out.everyone-what"),
                    visit.words("kick-out.everyone-login"),
                    visit.words("kick-out.everyone-load"),
                ], undo: visit.words("kick-out.undo"), button: visit.words("deed.kick-out.everyone"),
                cancel: visit.address("kick-out"), isDangerous: true)
            preview.playerReads = message.sorted { $0.key < $1.key }.map { (visit.languageName($0.key), $0.value) }
            preview.typed = String(typed)
            return preview
        },
        perform: { visit, values, call in
            try await call.run(KickOut(user: nil, message: values.texts("message")))
            return DeedResult(visit.address("kick-out"))
        })
}

extension DeedState {
    /// The texts by language of values such as `statusMessage.en`.
    func texts(_ prefix: String) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, text) in values where name.begins(with: prefix) {
            texts[String(name.dropFirst(prefix.count))] = text
        }
        return texts
    }
}

extension Visit {
    /// A field for a text in each language: those of the console, and those that have a text already.
    func messageFields(_ name: String, _ texts: [String: String]) -> [Field] {
        let others = Set(texts.keys).subtracting(Words.languages).sorted()
        return (Words.languages + others).map { language in
            Field(
                "\(name).\(language)", words("launching.text", ["language": languageName(language)]), .lines,
                value: texts[language] ?? "",
                help: language == place?.app.defaultLanguage ? words("launching.text-default") : nil, limit: 1_000)
        }
    }

    /// What players read in each language after a change that is not made yet.
    func readings(
        of draft: App, at moment: Moment?, client: ClientInformation? = nil
    ) async throws -> [(language: String, text: String)] {
        var readings: [(language: String, text: String)] = []
        for language in playerLanguages(draft) {
            let outcome = try await run(PreviewLaunching(of: draft, languages: [language], at: moment, client: client))
            guard let text = outcome.message else { continue }
            readings.append((languageName(language), text))
        }
        return readings
    }

    /// What it means that nobody can log in.
    func closedSentences() async throws -> [String] {
        let devices = try await run(ListTestDevices()).count
        return [
            words("launching.logins-refused"), words("launching.sessions-stay"),
            words("launching.devices-pass", ["count": String(devices)]),
        ]
    }
}
