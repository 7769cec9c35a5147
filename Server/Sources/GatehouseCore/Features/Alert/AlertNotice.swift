import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// What one message is about, without a language.
package struct AlertNotice: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A verdict has begun, or has become critical.
        case begun(AppVerdict)
        /// A verdict holds no longer.
        case ended(AppVerdict.Kind, Provider?, begunAt: Moment)
        /// An operator wants to see that messages arrive.
        case test
    }

    package let app: App
    package let content: Content
    package let moment: Moment
    package let language: String
}

extension Phrase.Value {
    /// A value as programs read it, without a language; nil for one that is told otherwise.
    var plain: String? {
        switch self {
        case .text(let text): text
        case .count(let number), .number(let number): String(number)
        case .moment(let moment): moment.text
        case .word(_, let other): other
        default: nil
        }
    }
}

extension Moment {
    /// `2026-12-01T03:00:00Z`.
    var text: String { Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601) }
}
