/// The description of an identity provider: its endpoints and how its credentials are verified, in a part for each step, which stands
/// beside the code of that step. All other code contains no provider's name.
package struct ProviderDescription: Sendable {
    /// Its ID tokens, if it issues any.
    package var openID: OpenIDDescription?
    /// How an access token is verified; all checks must agree. Without any, access tokens are not accepted.
    package var checks: [ProviderCheck] = []
    /// How a player logs in with a browser, if that is possible.
    package var authorization: AuthorizationDescription?
    /// The calls that revoke a person's consent.
    package var revocation: [ProviderCall] = []
    /// What an operator may set for it, beside what every provider has.
    package var settings = ProviderSettingsForm.described
    /// Whether its proofs have Game Center's form.
    package var isGameCenter = false
    /// The use of each key of `additionalInfo` (LOGIN-3).
    package var additionalInfo: [String: AdditionalInfoUse] = [:]
    /// The ends at which its terms require a game to revoke the consent, whatever the operator's setting.
    package var requiredRevocations: Set<ConsentEnd> = []
    /// What it does as no protocol says.
    package var oddities = ProviderOddities()
    /// What it reports about persons, if it does.
    package var reports: ProviderReports?

    /// Whether the checks show to whom an access token was issued. If they don't, any app's token would be accepted.
    package var namesAudience: Bool { checks.contains { $0.audience != nil } }
}
