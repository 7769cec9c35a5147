package import GatehousePlatform
package import GatehouseSecurity

/// What a provider reports to the server about persons, each in its own form.
package struct ProviderReports: Sendable {
    /// Reads a report, and verifies that it comes from the provider. The result is nil for a report without an effect here.
    ///
    /// - Throws: ``IdentityFailure`` for a report that is not from the provider.
    package var read: @Sendable (SignalReader.Message, _ reader: SignalReader, Moment) async throws -> ProviderSignal?
    /// The members of the answer to a report, for a provider that requires any. The URL is the one of the report.
    package var receipt: (@Sendable (SignalReader.Message, _ url: String) -> [String: String])?
}

/// Reads the reports of one provider of an app.
package struct SignalReader: Sendable {
    /// The maximum age of a signed report. Providers retry for days.
    package static let pastSeconds: Int64 = 7 * 86_400

    package let client: ProviderClient
    package let verifier: OpenIDVerifier?

    /// A report as it was received.
    package struct Message: Sendable {
        package let body: Data
        package let query: String
        package let authorization: String?

        package init(body: Data, query: String, authorization: String?) {
            self.body = body
            self.query = query
            self.authorization = authorization
        }
    }

    /// - Returns: nil for a report from the provider that has no effect here.
    /// - Throws: ``IdentityFailure`` for a report that is not from the provider.
    package func event(in message: Message, at moment: Moment) async throws -> ProviderSignal? {
        guard let reports = client.description.reports else { throw IdentityFailure.notConfigured }
        return try await reports.read(message, self, moment)
    }

    package func isFresh(_ issuedAt: Int64?, at moment: Moment) -> Bool {
        guard let issuedAt else { return false }
        let now = moment.milliseconds / 1_000
        return (now - Self.pastSeconds...now + OpenIDVerifier.leewaySeconds).contains(issuedAt)
    }
}

/// A verified report about a person.
package struct ProviderSignal: Sendable {
    package enum Kind: String, Sendable {
        case consentRevoked = "consent-revoked"
        case accountDeleted = "account-deleted"
    }

    package let identity: IdentityKey
    package let kind: Kind
    /// Distinguishes this report from others of the provider.
    package let id: String
}
