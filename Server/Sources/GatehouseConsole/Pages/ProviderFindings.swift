import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseProviders
import GatehouseWire

// The tests of a provider, and what they have found.
extension Visit {
    /// The test of the settings with what the last one has found, and that of a login.
    @HTMLBuilder func test(_ view: ProviderView, _ hidden: [Field]) -> HTML {
        if may(.operator) {
            changing(address("do/\(Self.tested)")) {
                self.hidden("once", once())
                all(hidden)
                p(.class("help")) { words("provider.test-help") }
                div(.class("buttons")) { button { words("provider.test-now") } }
            }
        }
        if let test = view.lastTest {
            p(.class("small")) {
                words("provider.tested-by", ["name": test.person, "time": local.absolute(test.date)])
            }
            if test.version != view.configuration.version {
                p(.class("notice warn")) { words("provider.test-old") }
            }
            ul(.class("findings")) {
                for group in test.findings.byCause { li { self.group(group) } }
            }
        } else {
            empty("provider.untested")
        }
        if may(.operator) { loginTest(view, hidden) }
    }

    /// The findings of one cause, and what to do about it.
    @HTMLBuilder private func group(_ group: ProviderFindingGroup) -> HTML {
        p {
            Cell(words("finding.verdict.\(group.verdict.rawValue)"), badge: Self.badge(of: group.verdict))
            " "
            strong { words.optional("finding.cause.\(group.cause)") ?? group.cause }
        }
        for text in texts(of: group) { p { text } }
        if let todo = todo(group) {
            p(.class("todo")) {
                strong { words("refusal.what-to-do") }
                " \(todo)"
            }
        }
    }

    /// The sentences of a group. Calls that failed for one reason are named, and the reason is told once.
    private func texts(of group: ProviderFindingGroup) -> [String] {
        guard group.cause == ProviderFindingGroup.unreachable, group.findings.count > 1,
            let why = group.findings.first?.values["why"]
        else { return group.findings.map(text) }
        let parts = group.findings.map { finding in
            let cause = finding.code.firstPart(at: ".")
            let part = words.optional("finding.cause.\(cause)") ?? cause
            return finding.region.map { "\($0): \(part)" } ?? part
        }
        return [words("finding.not-asked", ["parts": parts.joined(separator: ", "), "why": why])]
    }

    private func todo(_ group: ProviderFindingGroup) -> String? {
        guard group.verdict != .fine else { return nil }
        let worst = group.findings.first { $0.verdict == group.verdict }
        return worst.flatMap { words.optional("finding.do.\($0.code)") }
            ?? (group.isWrong ? words.optional("finding.do.\(group.cause)") : nil)
    }

    private static func badge(of verdict: ProviderFinding.Verdict) -> String {
        switch verdict {
        case .wrong: "bad"
        case .fine: "good"
        case .unknown: "plain"
        }
    }

    func text(of finding: ProviderFinding) -> String {
        var values = finding.values
        values["length"] = values["seconds"].flatMap { UInt64($0) }.map { local.duration(seconds: $0) }
        let text = words.optional("finding.\(finding.code)", values) ?? finding.text
        return finding.region.map { "\($0): \(text)" } ?? text
    }

    // MARK: Earlier tests

    /// Who has tested when, and whether it was with the settings as they are now.
    func tests(in history: [DeedRecord], _ view: ProviderView) -> Table {
        let now = history.first?.after
        return Table(
            words("provider.tests"),
            ["timeline.when", "timeline.what", "provider.result", "timeline.who"].map { words($0) },
            history.filter { $0.action == Self.tested }.prefix(10).map { record in
                let isLogin = record.reason != record.action
                let isLast = !isLogin && record.date == view.lastTest?.date
                let result = words(record.after == now ? "provider.result-now" : "provider.result-old")
                return TableRow([
                    .time(record.date, local),
                    Cell(words(isLogin ? "provider.tests-login" : "provider.tests-settings")),
                    isLast ? lastResult(view) : Cell(result), Cell(record.personName),
                ])
            }, empty: words("provider.untested")
        ).wrapping
    }

    private func lastResult(_ view: ProviderView) -> Cell {
        let wrong = view.wrongCauses
        return wrong > 0
            ? Cell(words("provider.test-wrong", ["count": Words.number(wrong)]), badge: "bad")
            : Cell(words("provider.test-fine"), badge: "good")
    }
}
