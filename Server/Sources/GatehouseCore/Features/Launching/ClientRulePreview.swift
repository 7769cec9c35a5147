import GatehouseStorage
import GatehouseWire

// The rules by client in words.
extension OperatorView {
    /// A rule of the app, with its place from 1.
    ///
    /// - Throws: ``ImpossibleAction`` if there is none with this id.
    func clientRule(_ id: String) throws -> (rule: ClientRule, position: Int) {
        guard let rule = find(id, in: view.app.clientRules) else {
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
        var draft = view.app
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
                    .text(.verbatim(rule.updateURL ?? "–")), .text(.verbatim(view.text(rule.message) ?? "–")),
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
