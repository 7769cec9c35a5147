/// The elements, as methods of a type that writes HTML. As methods they stand beside the type's own `table(of:)` or `label`.
///
/// Each takes its attributes (`a`) and then, in braces, its content (`c`).
package protocol Markup {}

extension Markup {
    package func a(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("a", a, c()) }
    package func article(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("article", a, c()) }
    package func bdi(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("bdi", a, c()) }
    package func blockquote(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML {
        .element("blockquote", a, c())
    }
    package func body(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("body", a, c()) }
    package func button(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("button", a, c()) }
    package func caption(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("caption", a, c()) }
    package func code(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("code", a, c()) }
    package func dd(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("dd", a, c()) }
    package func del(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("del", a, c()) }
    package func details(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("details", a, c()) }
    package func dialog(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("dialog", a, c()) }
    package func div(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("div", a, c()) }
    package func dl(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("dl", a, c()) }
    package func dt(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("dt", a, c()) }
    package func em(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("em", a, c()) }
    package func figcaption(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML {
        .element("figcaption", a, c())
    }
    package func figure(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("figure", a, c()) }
    package func footer(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("footer", a, c()) }
    package func form(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("form", a, c()) }
    package func h1(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("h1", a, c()) }
    package func h2(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("h2", a, c()) }
    package func h3(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("h3", a, c()) }
    package func head(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("head", a, c()) }
    package func header(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("header", a, c()) }
    package func ins(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("ins", a, c()) }
    package func kbd(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("kbd", a, c()) }
    package func label(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("label", a, c()) }
    package func li(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("li", a, c()) }
    package func main(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("main", a, c()) }
    package func meter(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("meter", a, c()) }
    package func nav(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("nav", a, c()) }
    package func ol(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("ol", a, c()) }
    package func option(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("option", a, c()) }
    package func optgroup(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML {
        .element("optgroup", a, c())
    }
    package func p(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("p", a, c()) }
    package func pre(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("pre", a, c()) }
    package func section(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("section", a, c()) }
    package func select(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("select", a, c()) }
    package func small(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("small", a, c()) }
    package func span(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("span", a, c()) }
    package func strong(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("strong", a, c()) }
    package func summary(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("summary", a, c()) }
    package func table(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("table", a, c()) }
    package func tbody(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("tbody", a, c()) }
    package func td(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("td", a, c()) }
    package func th(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("th", a, c()) }
    package func thead(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("thead", a, c()) }
    package func title(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("title", a, c()) }
    package func tr(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("tr", a, c()) }
    package func ul(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("ul", a, c()) }

    /// Where a line may break.
    package var wbr: HTML { .element("wbr", end: .none) }
    package var br: HTML { .element("br", end: .none) }
    package func input(_ a: Attribute...) -> HTML { .element("input", a, end: .none) }
    package func link(_ a: Attribute...) -> HTML { .element("link", a, end: .none) }
    package func meta(_ a: Attribute...) -> HTML { .element("meta", a, end: .none) }

    /// A script of another file: there is none in a page.
    package func script(src address: String) -> HTML {
        .element("script", [Attribute("src", address), Attribute("defer", if: true)])
    }

    /// A text of several lines. The first line break after the element's beginning does not count.
    package func textarea(_ a: Attribute..., text: String) -> HTML { .element("textarea", a, .text("\n" + text)) }

    // SVG has these.
    package func defs(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("defs", a, c()) }
    package func g(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("g", a, c()) }
    package func mask(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("mask", a, c()) }
    package func pattern(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("pattern", a, c()) }
    package func svg(_ a: Attribute..., @HTMLBuilder content c: () -> HTML) -> HTML { .element("svg", a, c()) }
    package func path(_ a: Attribute...) -> HTML { .element("path", a, end: .slash) }
    package func rect(_ a: Attribute...) -> HTML { .element("rect", a, end: .slash) }
    package func use(_ a: Attribute...) -> HTML { .element("use", a, end: .slash) }
}
