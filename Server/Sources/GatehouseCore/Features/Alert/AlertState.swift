import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// A verdict of which a receiver has been told.
struct AlertState: Sendable, Hashable {
    let receiver: String
    /// The verdict's kind, and its provider if it has one.
    let verdict: String
    /// Whether it was told as critical.
    var isBad: Bool
    let begunAt: Moment
    /// Since when it does not hold. It is over if that lasts.
    var goneAt: Moment?

    /// What it is about; nil for a kind of another version.
    var subject: (kind: AppVerdict.Kind, provider: Provider?)? {
        let parts = verdict.parts(at: " ", atMost: 2).map(String.init)
        guard let kind = parts.first.flatMap({ AppVerdict.Kind(rawValue: $0) }) else { return nil }
        return (kind, parts.count > 1 ? Provider(parts[1]) : nil)
    }
}

extension AppVerdict {
    /// The form in which it is stored what was told.
    var stored: String { provider.map { "\(kind.rawValue) \($0.rawValue)" } ?? kind.rawValue }
}
