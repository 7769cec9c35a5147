import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// An action whose form asks for a rule by client, and for its place among the others.
protocol ClientRuleForm: OperatorAction {
    var rule: ClientRule { get set }
    var position: Int? { get set }
    /// How many places there are.
    static func places(_ context: OperatorContext) -> Int
}

extension Input where A: ClientRuleForm {
    /// The rule with its place. Its id comes first, because the address says which rule it is.
    static var clientRule: [Input] {
        [
            .clientRuleID(\.rule.id),
            .code("os", \.rule.osCode, ClientRule.systems, ClientRule.system).arranged(.half),
            .code("store", \.rule.storeCode, ClientRule.stores, ClientRule.store).arranged(.half),
            .condition("from", \.rule.from, limit: 64).arranged(.half),
            .condition("below", \.rule.below, limit: 64).arranged(.half), .status.arranged(.half),
            .place.arranged(.half), .other("os", \.rule.osCode).arranged(.folded("client-rules.others")),
            .other("store", \.rule.storeCode).arranged(.folded("client-rules.others")),
            .condition("url", \.rule.updateURL, limit: 1_024),
            .texts("message", \.rule.texts).arranged(.folded("client-rules.texts")), .whole,
        ]
    }

    /// A system or a store: one with a name, or one that another rule is for.
    private static func code(
        _ name: String, _ path: any WritableKeyPath<A, String?> & Sendable, _ known: [String],
        _ label: @escaping @Sendable (String) -> Phrase
    ) -> Self {
        Input { action, context, _ in
            let chosen = action[keyPath: path]
            let others = context.app.clientRules.compactMap { name == "os" ? $0.osCode : $0.storeCode }
            let codes = known + Set(others + [chosen].compactMap(\.self)).subtracting(known).sorted()
            return [
                InputField(
                    name: name, label: Phrase("client-rules.\(name)"),
                    kind: .choice(
                        [InputField.Option(value: "", label: Phrase("client-rules.every-\(name)"))]
                            + codes.map { InputField.Option(value: $0, label: label($0)) }),
                    value: chosen ?? "")
            ]
        } read: { action, values, _ in
            action[keyPath: path] = values.text(name)?.uppercased()
        }
    }

    /// The code of another system or store, which is used instead of the choice.
    private static func other(_ name: String, _ path: any WritableKeyPath<A, String?> & Sendable) -> Self {
        Input { _, _, _ in
            [
                InputField(
                    name: "\(name)-other", label: Phrase("client-rules.\(name)-other"), kind: .text,
                    help: "client-rules.other-help", limit: 32)
            ]
        } read: { action, values, _ in
            if let other = values.text("\(name)-other") { action[keyPath: path] = other.uppercased() }
        }
    }

    /// A text that may be missing. Whether it is good is for the rule to say.
    private static func condition(
        _ name: String, _ path: any WritableKeyPath<A, String?> & Sendable, limit: Int
    ) -> Self {
        Input { action, _, _ in
            [
                InputField(
                    name: name, label: Phrase("client-rules.\(name)"), kind: .text,
                    value: action[keyPath: path] ?? "", help: Phrase("client-rules.\(name)-help"), limit: limit)
            ]
        } read: { action, values, _ in
            action[keyPath: path] = values.text(name)
        }
    }

    private static var status: Self {
        Input { action, _, _ in
            let options = ClientRule.statuses.map {
                InputField.Option(value: String($0.rawValue), label: .status($0))
            }
            return [
                InputField(
                    name: "status", label: "launching.status", kind: .choice(options),
                    value: String(action.rule.status.rawValue))
            ]
        } read: { action, values, _ in
            let chosen = ClientRule.statuses.first { String($0.rawValue) == values.text("status") }
            guard let chosen else { throw InputProblems(["status": "problem.choice"]) }
            action.rule.status = chosen
        }
    }

    private static var place: Self {
        Input { action, context, _ in
            [
                InputField(
                    name: "position", label: "client-rules.position", kind: .number,
                    value: String(action.position ?? A.places(context)), help: "client-rules.position-help",
                    isRequired: true, limit: 3)
            ]
        } read: { action, values, context in
            action.position = try values.number("position", 1...max(1, A.places(context)))
        }
    }

    /// What the rule as a whole says about its fields, when all of them are read.
    private static var whole: Self {
        Input { _, _, _ in
            []
        } read: { action, _, _ in
            let problems = action.rule.problems.map(\.place).map { place in
                (place.field, Phrase("problem.client-rule.\(place.key)"))
            }
            guard problems.isEmpty else { throw InputProblems(Dictionary(problems) { $1 }) }
        }
    }
}

extension Input {
    /// Which rule it is.
    static func clientRuleID(_ path: any WritableKeyPath<A, String> & Sendable) -> Self {
        Input { action, values, _ in action[keyPath: path] = values.text("rule") ?? "" }
    }
}

extension ClientRule {
    fileprivate var texts: [String: String] {
        get { message.texts }
        set { message = LocalizedText(newValue) }
    }
}

// The rules by client in words.
extension OperatorContext {
    /// A rule of the app, with its place from 1.
    ///
    /// - Throws: ``ImpossibleAction`` if there is none with this id.
    func clientRule(_ id: String) throws -> (rule: ClientRule, position: Int) {
        guard let rule = find(id, in: app.clientRules) else {
            throw ImpossibleAction(phrase: "client-rules.unknown", parameter: "rule")
        }
        return rule
    }

    /// A rule as it was before an earlier action; nil without one.
    func clientRule(
        _ id: String, before action: String?, in tx: Reader
    ) throws -> (rule: ClientRule, position: Int)? {
        find(id, in: try earlier(action, in: tx)?.before?.clientRules ?? [])
    }

    private func find(_ id: String, in rules: [ClientRule]) -> (rule: ClientRule, position: Int)? {
        rules.firstIndex { $0.id == id }.map { (rules[$0], $0 + 1) }
    }

    /// What a new or changed rule will do.
    ///
    /// - Parameters:
    ///   - position: its place from 1.
    ///   - rules: the app's rules afterwards.
    ///   - before: the rule as it is; nil for a new one.
    func preview(
        ofRuleAt position: Int, in rules: [ClientRule], before: ClientRule? = nil, in tx: Reader
    ) throws -> Preview {
        let rule = rules[position - 1]
        var sentences: [Phrase] = []
        if let before, before != rule { sentences.append(before.sentence("client-rules.what-before")) }
        sentences += rule.sentences(after: rules.prefix(position - 1))
        if [.requireUpdate, .recommendUpdate].contains(rule.status), rule.updateURL == nil {
            sentences.append("client-rules.no-address")
        }
        sentences += rule.status.isPlayable ? [] : try closedSentences(in: tx)
        var preview = Preview(
            before == nil ? "client-rule.added-title" : "client-rule.changed-title", sentences + ["status.when"],
            undo: "client-rules.undo")
        preview.isDangerous = !rule.status.isPlayable
        // The rule alone, as an earlier one may match the same clients.
        var draft = app
        (draft.status, draft.maintenance, draft.clientRules) = (.inService, nil, [rule])
        preview.playerReads = readings(of: draft, client: rule.example)
        preview.table = table(of: rules, "client-rules.new-order")
        return preview
    }

    /// The rules in their order.
    package func table(of rules: [ClientRule], _ caption: Phrase) -> Preview.Table {
        Preview.Table(
            caption: caption,
            columns: [
                "client-rules.order", "client-rules.clients", "launching.status", "client-rules.url",
                "deed.player-reads",
            ],
            rows: rules.enumerated().map { index, rule in
                [
                    .text(.verbatim(String(index + 1))), .text(rule.clients),
                    .mark(.status(rule.status), rule.status.isPlayable ? .good : .warn),
                    .text(.verbatim(rule.updateURL ?? "–")), .text(.verbatim(call.text(rule.message) ?? "–")),
                ]
            })
    }
}

extension ClientRule {
    /// The clients that it is for, in words.
    package var clients: Phrase {
        let parts = [system, store, versions].compactMap { $0 }
        return parts.dropFirst().reduce(parts.first ?? .verbatim("")) { one, other in
            Phrase("client-rules.both", ["one": .phrase(one), "other": .phrase(other)])
        }
    }

    /// Its versions; nil for every one.
    package var versions: Phrase? {
        switch (from, below) {
        case (let from?, let below?): Phrase("client-rules.versions", ["from": .text(from), "below": .text(below)])
        case (let from?, nil): Phrase("client-rules.versions-from", ["from": .text(from)])
        case (nil, let below?): Phrase("client-rules.versions-below", ["below": .text(below)])
        case (nil, nil): nil
        }
    }

    /// Its system as people know it, with the code; nil for every one.
    package var system: Phrase? { osCode.map { Self.system($0) } }

    /// Its store as people know it, with the code; nil for every one.
    package var store: Phrase? { storeCode.map { Self.store($0) } }

    package static func system(_ code: String) -> Phrase {
        named(code, "system.\(code)", isKnown: systems.contains(code))
    }

    package static func store(_ code: String) -> Phrase { named(code, "store.\(code)", isKnown: stores.contains(code)) }

    /// The codes that have a name. Other codes are the game's own to choose.
    package static let systems = ["IOS", "AOS", "MACOS", "WINDOWS", "LINUX", "WEB"]
    package static let stores = ["AS", "GG", "ONE", "GALAXY", "AMAZON", "HUAWEI", "STEAM"]

    private static func named(_ code: String, _ key: String, isKnown: Bool) -> Phrase {
        guard isKnown else { return .verbatim(code) }
        return Phrase("client-rules.named", ["name": .word(key, or: code), "code": .text(code)])
    }

    /// A sentence about its clients and what they get.
    func sentence(_ key: String, _ values: [String: Phrase.Value] = [:]) -> Phrase {
        let own: [String: Phrase.Value] = ["clients": .phrase(clients), "status": .phrase(.status(status))]
        return Phrase(key, own.merging(values) { $1 })
    }

    /// What it decides, beside the rules before it.
    fileprivate func sentences(after others: ArraySlice<ClientRule>) -> [Phrase] {
        let earlier = others.enumerated().filter { $0.element.overlaps(self) }
        let what = sentence(earlier.isEmpty ? "client-rules.what" : "client-rules.what-others")
        if let cover = earlier.first(where: { $0.element.covers(self) }) {
            return [what, Phrase("client-rules.covered", ["number": .count(cover.offset + 1)])]
        }
        return [what]
            + earlier.map { index, other in other.sentence("client-rules.overlap", ["number": .count(index + 1)]) }
    }
}
