import GatehouseHTML

/// A link of the console.
struct Link: Sendable {
    let text: String
    let address: String
    /// `primary`, `danger` or nil.
    var style: String?
    /// Whether it leads to the page on which it stands.
    var isCurrent = false
    /// What a press sends to the address at once; nil for a link.
    var sends: [Field]?

    init(_ text: String, _ address: String, style: String? = nil, isCurrent: Bool = false) {
        self.text = text
        self.address = address
        self.style = style
        self.isCurrent = isCurrent
    }
}

extension Link: HTMLPart, Markup {
    var html: HTML { a(.href(address), .ariaCurrent(isCurrent ? "true" : nil)) { text } }

    /// The link to something with a name that a person has chosen.
    var ofName: HTML {
        a(.href(address)) { bdi { text } }
    }

    var button: HTML { a(.class("button", style), .href(address)) { text } }
}

/// Links that look like buttons, side by side; nothing if there are none.
struct Buttons: HTMLPart, Markup {
    let links: [Link]

    init(_ links: [Link]) {
        self.links = links
    }

    @HTMLBuilder var html: HTML {
        if !links.isEmpty {
            div(.class("buttons")) { for link in links { link.button } }
        }
    }
}

/// What can be done with a row: the first as a link, and the rest in a menu behind ⋯.
///
/// The menu is a popover, which opens and closes on Escape without a script and lies above the box in which the table scrolls.
struct RowMenu: HTMLPart, Markup {
    let actions: [Link]
    /// The id of the menu, which no other of the page has.
    let id: String
    /// Whether it stands in a form, which its button must not send.
    let isInForm: Bool

    @HTMLBuilder var html: HTML {
        if let first = actions.first { first }
        let rest = actions.dropFirst()
        if !rest.isEmpty {
            // It is called by what it holds.
            let names = rest.map(\.text).joined(separator: ", ")
            button(
                Attribute("type", isInForm ? "button" : nil), Attribute("popovertarget", id), .ariaLabel(names)
            ) { "⋯" }
            div(.id(id), Attribute("popover", if: true)) { for action in rest { action } }
        }
    }
}
