package import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Identifies a person who uses the console.
package struct OperatorID: WireIdentifier, SQLConvertible {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// What a person may do. Each role may do what the ones before it may.
package enum OperatorRole: String, Sendable, Hashable, CaseIterable, Comparable, Codable {
    /// Reads pages, without what identifies a person at a provider.
    case viewer
    /// Helps single players.
    case support
    /// Runs the game.
    case `operator`
    /// Manages keys, secrets and other operators.
    case owner

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (one: OperatorRole, other: OperatorRole) -> Bool { one.rank < other.rank }
}

/// A person who uses the console.
package struct Operator: Sendable, Hashable {
    package let id: OperatorID
    /// The name for signing in, which the histories show.
    package let name: String
    package var isDisabled = false
    /// Whether the person has a password and a second factor.
    package var isEnrolled = false
    package var preferences = OperatorPreferences()
    /// The role in each app.
    package var grants: [GrantScope: OperatorRole] = [:]
    package let createdAt: Moment

    /// The role in an app; nil for an app that the person must not know of.
    package func role(in app: AppID) -> OperatorRole? {
        [grants[.app(app)], grants[.everything]].compactMap { $0 }.max()
    }

    /// The role on the server itself: for apps as a whole, operators and health.
    package var serverRole: OperatorRole? { grants[.everything] }
}

/// How the console looks for one person.
package struct OperatorPreferences: Codable, Sendable, Hashable {
    package enum Theme: String, Codable, Sendable, CaseIterable {
        case auto, light, dark
    }

    package enum Density: String, Codable, Sendable, CaseIterable {
        case comfortable, compact
    }

    /// `en`, `ko` or `ja`; nil for the browser's.
    package var language: String?
    /// A name of the time zone database, such as `Asia/Seoul`; nil for UTC.
    package var zone: String?
    package var theme = Theme.auto
    package var density = Density.comfortable
    /// Whether single keys, such as `/`, are short cuts.
    package var hasShortcuts = true
    /// The number of rows of a list.
    package var rows = 25
    /// The columns that the person does not want to see, by the name of their list.
    package private(set) var hiddenColumns: [String: [String]]?

    package init() {}

    /// Bounds of what is kept, so that a row stays small whatever a form sends.
    private static let (mostLists, mostColumns, longestName) = (32, 16, 48)

    /// Keeps which columns of a list are hidden. None is the default, and takes no room.
    package mutating func hide(_ columns: [String], of list: String) {
        var lists = hiddenColumns ?? [:]
        lists[list] = nil
        let names = columns.prefix(Self.mostColumns).filter { $0.utf8.count <= Self.longestName }
        if !names.isEmpty, lists.count < Self.mostLists, list.utf8.count <= Self.longestName { lists[list] = names }
        hiddenColumns = lists.isEmpty ? nil : lists
    }
}

/// A person's session in the console, with the person as it is now.
package struct OperatorSession: Sendable, Hashable {
    package let id: String
    package let person: Operator
    package let createdAt: Moment
    package let usedAt: Moment
    package let expiresAt: Moment
    /// The end of the time in which a dangerous action needs no new sign-in.
    package let elevatedUntil: Moment
    /// The address and the browser at the sign-in.
    package let address: String
    package let agent: String

    /// How long a session lasts without use.
    package static let idleSeconds: Int64 = 30 * 60
    /// How long a session lasts, however much it is used.
    package static let longestSeconds: Int64 = 12 * 3_600
    /// How long a sign-in permits dangerous actions.
    package static let elevationSeconds: Int64 = 10 * 60

    package func isElevated(at moment: Moment) -> Bool { moment < elevatedUntil }
}

/// The secret of a session in the console, which the browser keeps in a cookie.
package struct OperatorToken: Sendable {
    package let text: String

    package init(random: RandomSource) {
        text = Base64URL.encode(random.bytes(32))
    }

    /// Nil if the text is not such a secret.
    package init?(_ text: String) {
        guard Base64URL.decode(text.utf8)?.count == 32 else { return nil }
        self.text = text
    }
}

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
