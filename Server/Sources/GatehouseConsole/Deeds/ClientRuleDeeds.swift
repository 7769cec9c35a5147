import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Console {
    /// Which status some clients get instead of the app's own.
    static let clientRuleDeeds = [addClientRule, changeClientRule, removeClientRule, moveClientRule]

    private static let addClientRule = DeedKind(
        name: "client-rule.added", level: .confirmed, role: .operator, section: "launching",
        undo: "client-rule.removed", target: { _ in .clientRules },
        fields: { visit, values in
            let earlier = try await visit.earlierRule(values)
            let next = try visit.app().clientRules.count + 1
            return visit.fields(of: earlier?.rule, at: min(earlier?.position ?? next, next))
        },
        preview: { visit, values in
            var app = try visit.app()
            guard app.clientRules.count < ClientRule.maximumCount else {
                throw FormProblems(["position": visit.words("problem.client-rule.full")])
            }
            let (rule, position) = try visit.clientRule(values, places: app.clientRules.count + 1)
            app.clientRules.insert(rule, at: position - 1)
            return try await visit.preview(of: rule, at: position, in: app, "client-rule.added")
        },
        perform: { visit, values, call in
            let (rule, position) = try visit.clientRule(values, places: visit.app().clientRules.count + 1)
            try await call.run(AddClientRule(rule, at: position))
            return DeedResult(visit.address("launching"))
        })

    private static let changeClientRule = DeedKind(
        name: "client-rule.changed", level: .confirmed, role: .operator, section: "launching",
        undo: "client-rule.changed", target: { _ in .clientRules },
        fields: { visit, values in
            let current = try visit.currentRule(values)
            let earlier = try await visit.earlierRule(values)
            return visit.fields(of: earlier?.rule ?? current.rule, at: earlier?.position ?? current.position)
        },
        preview: { visit, values in
            var app = try visit.app()
            let current = try visit.currentRule(values)
            let (rule, position) = try visit.clientRule(values, places: app.clientRules.count)
            guard rule != current.rule || position != current.position else {
                throw FormProblems(["status": visit.words("problem.no-change")])
            }
            app.clientRules.remove(at: current.position - 1)
            app.clientRules.insert(rule, at: position - 1)
            return try await visit.preview(of: rule, at: position, in: app, "client-rule.changed", from: current.rule)
        },
        perform: { visit, values, call in
            _ = try visit.currentRule(values)
            let (rule, position) = try visit.clientRule(values, places: visit.app().clientRules.count)
            try await call.run(ChangeClientRule(rule, at: position))
            return DeedResult(visit.address("launching"))
        })

    private static let removeClientRule = DeedKind(
        name: "client-rule.removed", level: .confirmed, role: .operator, section: "launching",
        undo: "client-rule.added", target: { _ in .clientRules },
        preview: { visit, values in
            let rule = try visit.currentRule(values).rule
            return DeedPreview(
                visit.words("client-rules.remove-title"),
                [
                    visit.words(
                        "client-rules.remove-what",
                        ["clients": visit.clients(of: rule), "status": visit.statusCell(rule.status).text]),
                    visit.words("status.when"),
                ], undo: visit.words("client-rules.undo"), button: visit.words("deed.client-rule.removed"),
                cancel: visit.address("launching"))
        },
        perform: { visit, values, call in
            try await call.run(RemoveClientRule(id: try visit.currentRule(values).rule.id))
            return DeedResult(visit.address("launching"))
        })

    private static let moveClientRule = DeedKind(
        name: "client-rule.moved", level: .confirmed, role: .operator, section: "launching",
        undo: "client-rule.moved", target: { _ in .clientRules },
        preview: { visit, values in
            var app = try visit.app()
            let (rule, position) = try visit.currentRule(values)
            let place = try await visit.place(values)
            guard place != position else { throw Refusal.parameter("to", visit.words("problem.no-change")) }
            app.clientRules.remove(at: position - 1)
            app.clientRules.insert(rule, at: place - 1)
            var preview = DeedPreview(
                visit.words("client-rules.move-title", ["from": String(position), "to": String(place)]),
                [visit.words("client-rules.first-decides"), visit.words("status.when")],
                undo: visit.words("client-rules.undo"), button: visit.words("deed.client-rule.moved"),
                cancel: visit.address("launching"))
            preview.table = visit.table(of: app.clientRules, visit.words("client-rules.new-order"), offers: false)
            return preview
        },
        perform: { visit, values, call in
            let rule = try visit.currentRule(values).rule
            try await call.run(MoveClientRule(id: rule.id, to: try await visit.place(values)))
            return DeedResult(visit.address("launching"))
        })

    /// The rule that a deed was about: the one that has come or gone, whose values have changed, or that has moved furthest.
    static func clientRule(of record: DeedRecord) -> String? {
        let before = (record.before ?? DeedState()).clientRules
        let after = (record.after ?? DeedState()).clientRules
        let (old, new) = (Set(before.map(\.id)), Set(after.map(\.id)))
        if let id = old.symmetricDifference(new).first { return id }
        if let changed = after.first(where: { !before.contains($0) }) { return changed.id }
        func distance(_ id: String) -> Int {
            let places = [before, after].map { rules in rules.firstIndex { $0.id == id } ?? 0 }
            return abs(places[0] - places[1])
        }
        return after.map(\.id).max { distance($0) < distance($1) }
    }
}

extension Visit {
    /// The rule that the address names, with its place from 1.
    fileprivate func currentRule(_ values: FormValues) throws -> (rule: ClientRule, position: Int) {
        guard let rule = try rule(values, in: app().clientRules) else {
            throw Refusal.parameter("rule", words("client-rules.unknown"))
        }
        return rule
    }

    /// The same rule before an earlier change; nil if the address names none.
    fileprivate func earlierRule(_ values: FormValues) async throws -> (rule: ClientRule, position: Int)? {
        rule(values, in: try await earlier(values)?.clientRules ?? [])
    }

    private func rule(_ values: FormValues, in rules: [ClientRule]) -> (rule: ClientRule, position: Int)? {
        rules.firstIndex { $0.id == values["rule"] }.map { (rules[$0], $0 + 1) }
    }

    /// Where a rule is moved to.
    fileprivate func place(_ values: FormValues) async throws -> Int {
        let count = try app().clientRules.count
        let place: Int? =
            if let earlier = try await earlierRule(values) { earlier.position } else {
                values["to"].flatMap { Int($0) }
            }
        guard let place, (1...max(1, count)).contains(place) else {
            throw Refusal.parameter("to", words("problem.range", ["from": "1", "to": String(count)]))
        }
        return place
    }

    fileprivate func fields(of rule: ClientRule?, at position: Int) -> [Field] {
        [
            Field(
                "os", words("client-rules.os"), value: rule?.osCode ?? "", help: words("client-rules.os-help"),
                limit: 32),
            Field(
                "store", words("client-rules.store"), value: rule?.storeCode ?? "",
                help: words("client-rules.store-help"), limit: 32),
            Field(
                "from", words("client-rules.from"), value: rule?.from ?? "", help: words("client-rules.from-help"),
                limit: 64),
            Field(
                "below", words("client-rules.below"), value: rule?.below ?? "",
                help: words("client-rules.below-help"), limit: 64),
            Field(
                "status", words("launching.status"),
                .choice(ClientRule.statuses.map { Field.Option(String($0.rawValue), statusCell($0).text) }),
                value: String((rule?.status ?? .requireUpdate).rawValue)),
            Field(
                "url", words("client-rules.url"), value: rule?.updateURL ?? "", help: words("client-rules.url-help"),
                limit: 1_024),
        ] + messageFields("message", rule?.message.texts ?? [:]) + [
            Field(
                "position", words("client-rules.position"), .number, value: String(position),
                help: words("client-rules.position-help"), isRequired: true, limit: 3)
        ]
    }

    /// The rule of a form, with its place.
    ///
    /// - Parameter places: how many there are.
    fileprivate func clientRule(
        _ values: FormValues, places: Int
    ) throws -> (rule: ClientRule, position: Int) {
        var form = FormReader(values, self)
        let position = form.number("position", 1...max(1, places))
        let status = ClientRule.statuses.first { String($0.rawValue) == values["status"] }
        if status == nil { form.report("status", words("problem.choice")) }
        let rule = ClientRule(
            id: values["rule"] ?? "", osCode: values["os"]?.uppercased(), storeCode: values["store"]?.uppercased(),
            from: values["from"], below: values["below"], status: status ?? .inService, updateURL: values["url"],
            message: LocalizedText(form.texts("message")))
        for problem in rule.problems {
            let (field, word) = Self.place(of: problem)
            form.report(field, words("problem.client-rule.\(word)"))
        }
        try form.finish()
        return (rule, position)
    }

    /// The field of a problem, and the end of its words' key.
    private static func place(of problem: ClientRule.Problem) -> (field: String, word: String) {
        switch problem {
        case .noCondition: ("os", "no-condition")
        case .os: ("os", "code")
        case .store: ("store", "code")
        case .from: ("from", "version")
        case .below: ("below", "version")
        case .order: ("below", "order")
        case .status: ("status", "status")
        case .updateURL: ("url", "address")
        case .message: ("message.en", "message")
        }
    }

    /// What a rule will do, for a confirmation.
    ///
    /// - Parameter app: the app with the rule.
    fileprivate func preview(
        of rule: ClientRule, at position: Int, in app: App, _ deed: String, from before: ClientRule? = nil
    ) async throws -> DeedPreview {
        let status = statusCell(rule.status).text
        var sentences: [String] = []
        if let before, before != rule {
            sentences.append(
                words(
                    "client-rules.what-before",
                    ["clients": clients(of: before), "status": statusCell(before.status).text]))
        }
        let earlier = app.clientRules.prefix(position - 1).enumerated().filter { $0.element.overlaps(rule) }
        sentences.append(
            words(
                earlier.isEmpty ? "client-rules.what" : "client-rules.what-others",
                ["clients": clients(of: rule), "status": status]))
        if let cover = earlier.first(where: { $0.element.covers(rule) }) {
            sentences.append(words("client-rules.covered", ["number": String(cover.offset + 1)]))
        } else {
            sentences += earlier.map { index, other in
                words(
                    "client-rules.overlap",
                    [
                        "number": String(index + 1), "clients": clients(of: other),
                        "status": statusCell(other.status).text,
                    ])
            }
        }
        if [.requireUpdate, .recommendUpdate].contains(rule.status), rule.updateURL == nil {
            sentences.append(words("client-rules.no-address"))
        }
        sentences += rule.status.isPlayable ? [] : try await closedSentences()
        sentences.append(words("status.when"))
        var preview = DeedPreview(
            words("\(deed)-title"), sentences, undo: words("client-rules.undo"), button: words("deed.\(deed)"),
            cancel: address("launching"), isDangerous: !rule.status.isPlayable)
        // The rule alone, as an earlier one may match the same clients.
        var draft = app
        (draft.status, draft.maintenance, draft.clientRules) = (.inService, nil, [rule])
        preview.playerReads = try await readings(of: draft, at: nil, client: rule.example)
        preview.table = table(of: app.clientRules, words("client-rules.new-order"), offers: false)
        return preview
    }
}
