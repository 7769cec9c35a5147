import GatehouseSecurity

/// Where somebody uses the console from.
package struct OperatorVisitor: Sendable, Hashable {
    package let address: String
    /// The browser's `User-Agent`, cut.
    package let agent: String
    /// The mark of an earlier sign-in in the same browser.
    package let browser: KnownBrowser?

    /// A sign-in takes a place of its network in the queue of slow hashes.
    var hashOrigin: HashShares.Origin { .console(ClientAddress(address)) }

    package init(address: String, agent: String, browser: KnownBrowser? = nil) {
        self.browser = browser
        self.address = address
        self.agent = String(agent.unicodeScalars.prefix(200).map { $0.value == 0 ? " " : Character($0) })
    }
}
