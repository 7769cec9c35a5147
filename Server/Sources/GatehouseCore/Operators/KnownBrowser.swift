import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
import GatehouseWire

/// A browser in which an operator has signed in. It keeps this value, sealed, for thirty days, so neither a table nor a restart is
/// involved, and every node knows it. It opens nothing: its wrong attempts are counted apart from those of everybody else at the same
/// name (CON-9).
package struct KnownBrowser: Codable, Sendable, Hashable {
    package static let seconds: Int64 = 30 * 86_400

    package let browser: String
    package let operatorName: String

    /// - Parameter earlier: the same browser's value, whose id it keeps.
    package init(name: String, earlier: KnownBrowser?, random: RandomSource) {
        let own = earlier.flatMap { $0.operatorName.isExactly(name) ? $0.browser : nil }
        browser = own ?? Base64URL.encode(random.bytes(16))
        operatorName = name
    }

    /// The id, for attempts at this name alone.
    func id(for name: String) -> String? { operatorName.isExactly(name) ? browser : nil }
}

extension Actions {
    package func sealBrowser(_ browser: KnownBrowser, at moment: Moment) throws -> String {
        try sealForm(browser, at: moment)
    }

    /// Nil for what is not sealed by this server, or is older than ``KnownBrowser/seconds``.
    package func openBrowser(_ sealed: String, at moment: Moment) -> KnownBrowser? {
        openForm(sealed, within: KnownBrowser.seconds, at: moment)
    }
}
