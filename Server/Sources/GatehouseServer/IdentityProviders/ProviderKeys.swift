import Foundation
import GatehouseWire

/// The published keys of identity providers, by their URL.
struct ProviderKeys: Sendable {
    /// Of one provider; real ones publish two or three.
    private static let maximumKeys = 32

    private let sets: CachedDocuments<[String: ProviderKey]>

    init(environment: ServerEnvironment, gateway: ProviderGateway) {
        sets = CachedDocuments(environment: environment, gateway: gateway, read: Self.read)
    }

    /// The key of this id and algorithm, or nil when the provider has none.
    ///
    /// - Throws: ``IdentityFailure/unavailable`` when the provider has not told its keys, or too long ago.
    func key(
        _ id: String, algorithm: String, at url: String, of share: ProviderGateway.Share
    ) async throws -> ProviderKey? {
        let keys = try await sets.document(at: url, of: share) { $0[id] != nil }
        guard let key = keys[id], key.algorithm == algorithm else { return nil }
        return key
    }

    func count(at url: String, of share: ProviderGateway.Share) async throws -> Int {
        try await sets.document(at: url, of: share).count
    }

    /// Nil for what is no set of keys, or has none of use: members of other kinds are left out (IDP-5).
    private static func read(_ body: Data) -> [String: ProviderKey]? {
        guard let document = try? StrictJSON.parse(body), case .array(let members)? = document["keys"] else {
            return nil
        }
        var keys: [String: ProviderKey] = [:]
        for member in members.prefix(maximumKeys) {
            guard let id = member["kid"]?.string, let key = ProviderKey(member) else { continue }
            keys[id] = key
        }
        return keys.isEmpty ? nil : keys
    }
}
