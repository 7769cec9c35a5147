import GatehouseWire

extension ProviderName {
    /// Hangame's calls are for its partners: an operator describes them.
    package static let hangame = ProviderName(.hangame, withdrawalCause: "WAHI")
}
