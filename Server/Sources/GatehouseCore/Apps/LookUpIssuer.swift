package import GatehouseProviders
import GatehouseSecurity
package import GatehouseWire

/// Reads what an OpenID Connect provider says of itself, for settings that are not saved yet.
package struct LookUpIssuer: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let provider: Provider
    let issuer: String
    /// The fake world that stands for the provider, for development.
    let origin: String?
    let trustedCertificates: [String]

    package init(provider: Provider, issuer: String, origin: String?, trustedCertificates: [String]) {
        self.provider = provider
        self.issuer = issuer
        self.origin = origin
        self.trustedCertificates = trustedCertificates
    }

    package enum Outcome: Sendable {
        case found(Discovery.Document)
        /// The issuer is no https address.
        case noAddress
        /// It is an address of this machine or of its networks (NET-1).
        case notPublic
        case failed(why: String)
    }

    package func perform(_ work: Work) async throws -> Outcome {
        guard (1...512).contains(issuer.utf8.count), OutgoingRequest.isAllowed(issuer) else { return .noAddress }
        if let origin, !OutgoingRequest.isLocal(origin) { return .noAddress }
        // A client id is not asked for here, but no client is without one.
        var configuration = ProviderConfiguration(kind: .openID, clientIds: ["gatehouse"])
        configuration.openID?.issuer = issuer
        configuration.openID?.trustedCertificates = trustedCertificates.isEmpty ? nil : trustedCertificates
        configuration.origin = origin
        let test = try work.test(of: provider, configuration, region: nil, callback: "")
        do {
            guard let document = try await test.client.endpoints() else { return .noAddress }
            return .found(document)
        } catch let failure as IdentityFailure {
            let cause = test.observations.outage?.cause
            if failure == .notPublic || cause == OutgoingFailure.privateAddress.words { return .notPublic }
            return .failed(why: cause.map { "\(failure.words): \($0)" } ?? failure.words)
        }
    }
}
