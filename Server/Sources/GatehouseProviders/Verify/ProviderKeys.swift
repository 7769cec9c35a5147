package import GatehouseSecurity

/// The published keys of identity providers, by their URL.
package struct ProviderKeys: Sendable {
    private let sets: CachedDocuments<ProviderKeySet>

    package init(environment: ServerEnvironment, gateway: ProviderGateway) {
        sets = CachedDocuments(environment: environment, gateway: gateway, read: { ProviderKeySet($0) })
    }

    /// The address of the keys, and the share that a fetch uses.
    package struct Place: Sendable {
        package let url: String
        package let share: ProviderGateway.Share
    }

    /// The key named in a token's header, or nil when the provider has none.
    ///
    /// - Parameter isNewer: whether the known key has turned out to be wrong. Then the keys are fetched again, within their allowance.
    /// - Throws: ``IdentityFailure/unavailable`` when the provider has never sent its keys, or too long ago, or does not say whether it
    ///   has this one; ``IdentityFailure/busy`` when it was asked too often for keys that were not known.
    package func key(
        _ wanted: ProviderKeySet.Wanted, at place: Place, isNewer: Bool = false
    ) async throws -> ProviderKey? {
        try await sets.document(
            .init(url: place.url, share: place.share, isEnough: { !isNewer && $0[wanted] != nil }, putsOff: true)
        )[wanted]
    }

    /// The algorithm of each published key: of those that are known here, and of the others.
    package func algorithms(at place: Place) async throws -> (known: [String], others: [String]) {
        let set = try await sets.document(at: place.url, of: place.share)
        return (set.algorithms, set.otherAlgorithms)
    }
}
