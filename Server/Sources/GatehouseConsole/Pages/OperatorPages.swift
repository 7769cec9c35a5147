import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    func operatorList() async throws -> Response {
        let people = try await run(ListOperators())
        var page = Page(words("nav.operators"), section: "operators")
        page.result = try await resultLine()
        page.actions = links([("operator.invited", [:])], style: "primary")
        let deeds = try await run(ListServerDeeds(before: after, limit: 25))
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
            if !deeds.isEmpty {
                card("operators.history") {
                    deedTable(deeds)
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
            Cell(grants(of: other)), Cell.time(other.createdAt, local),
        ]
        let name = ["name": other.name]
        guard !isSelf else { return TableRow(cells) }
        return TableRow(
            cells,
            actions: rowLinks(
                other.isDisabled
                    ? [("operator.enabled", name)]
                    : [("operator.granted", name), ("operator.factor-reset", name), ("operator.disabled", name)]))
    }

    /// What an operator may do, in words.
    func grants(of other: Operator) -> String {
        grants(other.grants)
    }

    func grants(_ grants: [GrantScope: OperatorRole]) -> String {
        let texts = grants.sorted { $0.key.text < $1.key.text }.map { scope, role in
            let place = scope == .everything ? words("operators.everything") : scope.text
            return "\(place): \(words("role.\(role.rawValue)"))"
        }
        return texts.isEmpty ? words("operators.nothing") : texts.joined(separator: " · ")
    }
}
