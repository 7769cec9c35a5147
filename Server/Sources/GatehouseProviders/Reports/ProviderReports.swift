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
