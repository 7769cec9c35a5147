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

/// An attribute of an element. One whose value is nil is left out.
package struct Attribute: Sendable {
    private enum Value {
        case missing, set
        case text(String)
    }

    private let name: StaticString
    private let value: Value

    package init(_ name: StaticString, _ text: String?) {
        self.name = name
        value = text.map { .text($0) } ?? .missing
    }

    /// An attribute that is there or not, and has no value.
    package init(_ name: StaticString, if isSet: Bool) {
        self.name = name
        value = isSet ? .set : .missing
    }

    func write(to html: inout HTMLBytes) {
        if case .missing = value { return }
        html.append(" ")
        html.append(name)
        guard case .text(let text) = value else { return }
        html.append("=\"")
        html.append(escaping: text)
        html.append("\"")
    }
}

// MARK: Names

extension Attribute {
    /// Class names; those that are nil are left out.
    package static func `class`(_ names: String?...) -> Attribute {
        let names = names.compactMap(\.self)
        return Attribute("class", names.isEmpty ? nil : names.joined(separator: " "))
    }

    package static func action(_ address: String) -> Attribute { Attribute("action", address) }
    package static func autocomplete(_ purpose: String?) -> Attribute { Attribute("autocomplete", purpose) }
    package static func `for`(_ id: String) -> Attribute { Attribute("for", id) }
    package static func href(_ address: String) -> Attribute { Attribute("href", address) }
    package static func id(_ id: String?) -> Attribute { Attribute("id", id) }
    package static func lang(_ language: String) -> Attribute { Attribute("lang", language) }
    package static func maxlength(_ limit: Int?) -> Attribute { Attribute("maxlength", limit.map { String($0) }) }
    package static func name(_ name: String) -> Attribute { Attribute("name", name) }
    package static func rel(_ relation: String) -> Attribute { Attribute("rel", relation) }
    package static func role(_ role: String) -> Attribute { Attribute("role", role) }
    package static func tabindex(_ index: Int) -> Attribute { Attribute("tabindex", String(index)) }
    package static func title(_ text: String) -> Attribute { Attribute("title", text) }
    package static func type(_ type: String) -> Attribute { Attribute("type", type) }
    package static func value(_ value: String) -> Attribute { Attribute("value", value) }

    package static func ariaCurrent(_ kind: String?) -> Attribute { Attribute("aria-current", kind) }
    package static func ariaLabel(_ text: String) -> Attribute { Attribute("aria-label", text) }
    package static func ariaLabelledby(_ id: String) -> Attribute { Attribute("aria-labelledby", id) }
    package static func ariaDescribedby(_ ids: String?) -> Attribute { Attribute("aria-describedby", ids) }
    package static func ariaInvalid(if isInvalid: Bool) -> Attribute {
        Attribute("aria-invalid", isInvalid ? "true" : nil)
    }
    package static var ariaHidden: Attribute { Attribute("aria-hidden", "true") }

    package static var hidden: Attribute { Attribute("hidden", if: true) }
    package static var readonly: Attribute { Attribute("readonly", if: true) }
    package static func autofocus(if isSet: Bool) -> Attribute { Attribute("autofocus", if: isSet) }
    package static func checked(if isSet: Bool) -> Attribute { Attribute("checked", if: isSet) }
    package static func open(if isSet: Bool) -> Attribute { Attribute("open", if: isSet) }
    package static func required(if isSet: Bool) -> Attribute { Attribute("required", if: isSet) }
    package static func selected(if isSet: Bool) -> Attribute { Attribute("selected", if: isSet) }

    /// The method of a form that asks.
    package static var get: Attribute { Attribute("method", "get") }
    /// The method of a form that changes something.
    package static var post: Attribute { Attribute("method", "post") }

    // SVG has these.
    package static func d(_ path: String) -> Attribute { Attribute("d", path) }
    package static func fill(_ paint: String) -> Attribute { Attribute("fill", paint) }
    package static func height(_ height: String) -> Attribute { Attribute("height", height) }
    package static func width(_ width: String) -> Attribute { Attribute("width", width) }
    package static func viewBox(_ box: String) -> Attribute { Attribute("viewBox", box) }
    package static func x(_ x: String) -> Attribute { Attribute("x", x) }
    package static func y(_ y: String) -> Attribute { Attribute("y", y) }
}
