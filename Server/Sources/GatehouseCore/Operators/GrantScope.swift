package import GatehouseStorage
package import GatehouseWire

/// What a grant is about.
package enum GrantScope: Sendable, Hashable, SQLConvertible {
    /// Every app, and the server itself.
    case everything
    case app(AppID)

    package init(_ text: String) {
        self = text == "*" ? .everything : .app(AppID(text))
    }

    package var text: String {
        switch self {
        case .everything: "*"
        case .app(let app): app.rawValue
        }
    }

    package var sqlValue: SQLValue { .text(text) }
    package init(sqlValue: SQLValue) throws { self.init(try String(sqlValue: sqlValue)) }
}

extension [GrantScope: OperatorRole] {
    /// The form in the audit, such as `*=owner, game=support`.
    package var text: String {
        map { "\($0.key.text)=\($0.value.rawValue)" }.sorted().joined(separator: ", ")
    }
}
