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
