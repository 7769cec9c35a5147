/// A value with names in it, as a template reaches them. A section looks for a name further out where this says nil.
protocol MustacheParent {
    func child(named name: String) -> Any?
}

/// A value that is written as another text than its description.
protocol MustacheText {
    var text: String { get }
}

extension Dictionary: MustacheParent where Key == String {
    func child(named name: String) -> Any? { self[name] }
}

/// What a section repeats itself for.
protocol MustacheList {
    var items: [Any] { get }
}

extension Array: MustacheList {
    var items: [Any] { map { $0 } }
}

/// An optional value that an `Any` holds.
private protocol OptionalValue {
    var content: Any? { get }
}

extension Optional: OptionalValue {
    var content: Any? { self }
}

/// A value as sections and texts see it.
enum MustacheValue {
    case missing
    case flag(Bool)
    case list([Any])
    case value(Any)

    init(_ value: Any?) {
        guard let value else {
            self = .missing
            return
        }
        switch value {
        case let optional as any OptionalValue: self = MustacheValue(optional.content)
        case let flag as Bool: self = .flag(flag)
        case let list as any MustacheList: self = .list(list.items)
        default: self = .value(value)
        }
    }

    /// What `{{name}}` writes, before it is escaped.
    var text: String {
        switch self {
        case .missing: ""
        case .flag(let flag): String(flag)
        case .list(let list): String(describing: list)
        case .value(let value): (value as? any MustacheText)?.text ?? String(describing: value)
        }
    }
}
