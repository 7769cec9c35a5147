import GatehouseHTML

/// The links to the pages of a list before and after this one, and which of its rows this one has.
struct Pager: Sendable, HTMLPart, Markup {
    var older: String?
    var newer: String?
    /// `26–50`, or `26–43 of 43` where the number of all rows is known.
    var range: String?
    let words: Words

    @HTMLBuilder var html: HTML {
        if older != nil || newer != nil {
            nav(.class("pages"), .ariaLabel(words("frame.pages"))) {
                if let newer { a(.class("button"), .rel("prev"), .href(newer)) { words("frame.newer") } }
                " "
                if let older { a(.class("button"), .rel("next"), .href(older)) { words("frame.older") } }
                if let range {
                    " "
                    span(.class("small")) { range }
                }
            }
        }
    }
}
