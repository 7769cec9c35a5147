package import GatehouseWire

/// A provider that has a name of its own, which no other provider gets.
package struct ProviderName: Sendable, Hashable {
    package let provider: Provider
    /// The letters with which Gamebase names a withdrawal that this provider has reported. Nil if it has none.
    package let withdrawalCause: String?

    package init(_ provider: Provider, withdrawalCause: String? = nil) {
        self.provider = provider
        self.withdrawalCause = withdrawalCause
    }

    /// All of them.
    package static let all = ProviderKind.allCases.flatMap(\.names)
}
