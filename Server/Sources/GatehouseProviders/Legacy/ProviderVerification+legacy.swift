import GatehouseJSON
package import GatehouseSecurity
package import GatehouseWire

extension ProviderVerification {
    /// Asks or verifies who owns a credential of another system.
    ///
    /// - Throws: ``IdentityFailure``.
    package func person(
        of credential: LegacyCredential, from origin: LegacyOrigin, at moment: Moment
    ) async throws -> LegacyPerson {
        let description = origin.description
        if let token = description.token {
            let verifier = LegacyTokenVerifier(
                token: token, origin: origin, keys: keys, discovery: surroundings.discovery, moment: moment)
            if token.kind == credential.kind { return try await verifier.person(of: credential.value) }
            if let call = description.tokenCalls[credential.kind] {
                let (_, answer) = try await ask(call.request(credential, try Self.key(of: origin)), origin)
                var person = try await verifier.person(of: try call.token(answer))
                person.claim = Self.claim(credential, at: moment)
                return person
            }
        }
        guard let call = description.calls[credential.kind] else {
            throw IdentityFailure.rejected("this source takes no such kind of credential")
        }
        return try await answer(to: call, credential, origin, at: moment)
    }

    private func answer(
        to call: LegacyCall, _ credential: LegacyCredential, _ origin: LegacyOrigin, at moment: Moment
    ) async throws -> LegacyPerson {
        var key = try Self.key(of: origin)
        // A credential that lacks something is no reason to ask for a key.
        guard call.request(credential, origin.settings, key) != nil else {
            throw IdentityFailure.incomplete("credential")
        }
        if let before = call.before {
            let (_, answer) = try await ask(before.request(origin.settings, key), origin)
            key = try before.key(answer)
        }
        guard let request = call.request(credential, origin.settings, key) else {
            throw IdentityFailure.incomplete("credential")
        }
        let (status, answer) = try await ask(request, origin)
        var person = try call.person(status, answer)
        if call.isBound { person.claim = Self.claim(credential, at: moment) }
        return person
    }

    private func ask(_ request: OutgoingRequest, _ origin: LegacyOrigin) async throws -> (Int, StrictJSON.Value) {
        var request = request
        request.url = origin.place(request.url)
        let response = try await surroundings.gateway.fetch(request, of: origin.share)
        guard let answer = try? StrictJSON.parse(response.body), case .object = answer else {
            throw IdentityFailure.unavailable
        }
        return (response.status, answer)
    }

    private static func key(of origin: LegacyOrigin) throws -> ProviderToken {
        guard let key = origin.key else { throw IdentityFailure.misconfigured("the source has no secret key") }
        return key
    }

    /// What binds a credential that can be used again and again to the first device that shows it.
    private static func claim(_ credential: LegacyCredential, at moment: Moment) -> CredentialClaim {
        .opaque(credential.value, until: moment.adding(seconds: CredentialVerifier.longestUseSeconds))
    }
}
