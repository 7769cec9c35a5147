import GatehouseHTML

/// A label with its value.
struct Fact: Sendable {
    let label: String
    let value: Cell

    init(_ label: String, _ value: Cell) {
        self.label = label
        self.value = value
    }
}

/// Labels with their values, as a list.
struct Facts: HTMLPart, Markup {
    let facts: [Fact]

    init(_ facts: [Fact]) {
        self.facts = facts
    }

    var html: HTML {
        dl(.class("facts")) {
            for fact in facts {
                dt { fact.label }
                dd { fact.value }
            }
        }
    }
}
