import GatehouseHTML

/// What can be done with a member: the first action as a button, and the others in a menu that opens below it.
struct MemberActions: HTMLPart, Markup {
    let links: [Link]
    /// What the menu is called.
    let more: String

    @HTMLBuilder var html: HTML {
        if let first = links.first {
            div(.class("buttons")) { first.button }
            if links.count > 1 {
                details(.class("more")) {
                    summary { more }
                    ul {
                        for link in links.dropFirst() {
                            li { a(.class(link.style), .href(link.address)) { link.text } }
                        }
                    }
                }
            }
        }
    }
}
