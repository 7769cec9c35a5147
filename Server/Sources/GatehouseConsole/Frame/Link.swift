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
