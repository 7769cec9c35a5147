package import GatehouseSecurity
package import GatehouseWire

/// What a provider does as no protocol says, as functions.
package struct ProviderOddities: Sendable {
    /// Makes the client's secret, for a provider whose clients sign it themselves.
    package var clientSecret:
        (@Sendable (_ secrets: ProviderSecrets, _ clientId: String, Moment) throws -> ProviderToken)?
    /// Why an access token can't be verified, by its form alone. Nil for one that can.
    package var refusal: (@Sendable (ProviderToken) -> String?)?
    /// Further values of placeholders in calls with a person's token.
    package var tokenValues: (@Sendable (ProviderToken, ProviderSecrets) -> [String: String])?
    /// The beginnings of the words with which it refuses a client in a form of its own, for a test of the settings.
    package var clientErrors: [String] = []
    /// The person's name in the parameters of a page's answer.
    package var personName: (@Sendable ([String: String]) -> String?)?
}
