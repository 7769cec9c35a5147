import GatehouseSecurity
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
    /// Roles as somebody types them, by app, or `*` for every app and the server itself.
    ///
    /// - Throws: 3 for a role that is none, and for an app that is not one of these.
    package init(typed roles: [String: String], in apps: [AppID]) throws {
        self = [:]
        for (app, text) in roles {
            guard let role = OperatorRole(rawValue: text) else {
                throw Refusal.parameter("role", "A role is viewer, support, operator or owner.")
            }
            let scope = GrantScope(app)
            if case .app(let id) = scope, !apps.contains(id) {
                throw Refusal.parameter("app", "There is no app of this id.")
            }
            self[scope] = role
        }
    }

    /// The form in the audit, such as `*=owner, game=support`.
    package var text: String {
        map { "\($0.key.text)=\($0.value.rawValue)" }.sorted().joined(separator: ", ")
    }
}
