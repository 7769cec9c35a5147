import GatehouseCore
import GatehouseHTML
import Hummingbird

/// A part of a page about settings: a heading, sentences, facts, a table, and what can be done.
struct SectionCard: Sendable {
    var heading: String
    var lines: [String] = []
    /// A state in one line, above the rest.
    var verdict: Cell?
    var facts: [Fact] = []
    var table: Table?
    var actions: [Link] = []

    init(_ heading: String, lines: [String] = []) {
        self.heading = heading
        self.lines = lines
    }
}

extension SectionCard: HTMLPart, Markup {
    var html: HTML {
        section(.class("card sheet")) {
            h2 { heading }
            if let verdict { p(.class("verdict")) { verdict } }
            for line in lines { p { line } }
            if !facts.isEmpty { Facts(facts) }
            if let table { table }
            Buttons(actions)
        }
    }
}

extension PageRequest {
    /// A page of cards; those that are nil are left out.
    func show(_ page: Page, _ cards: [SectionCard?]) -> Response {
        show(page) {
            for card in cards {
                if let card { card }
            }
        }
    }

    /// The button of a change; nil for a person who may not make it.
    func offer(
        _ action: any OperatorAction.Type, _ fields: [String: String] = [:], style: String? = nil, text: String? = nil
    ) -> Link? {
        guard role >= action.about.role else { return nil }
        return Link(text ?? words("deed.\(action.about.name)"), actionAddress(action, fields), style: style)
    }
}

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
