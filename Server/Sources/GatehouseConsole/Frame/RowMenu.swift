import GatehouseHTML

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
