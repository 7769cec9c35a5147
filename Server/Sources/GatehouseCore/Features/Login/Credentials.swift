import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension Work {
    /// Runs a body with the identity of a credential, unless the call was made before with its idempotency key. Then the stored outcome
    /// answers: the provider has already exchanged the call's code, and a token may have expired since.
    ///
    /// A code is used up by its exchange, so an exchange and what is decided with its result belong together: they are finished even if
    /// the client goes meanwhile, and a repetition that arrives before the end waits for it. Otherwise the repetition would find no stored
    /// outcome, and the provider would refuse its code.
    func verifying<Value: Codable & Sendable>(
        _ credential: Credential, rejected: ErrorCode, misconfigured: ErrorCode,
        repeated: Once<Value, Draft>,
        _ body: @escaping @Sendable (VerifiedIdentity) async throws -> Value
    ) async throws -> Value {
        let codes = (rejected: rejected, misconfigured: misconfigured)
        guard credential.hasCodeOfProvider else { return try await verifyingOnce(credential, codes, repeated, body) }
        do {
            return try await services.callsInFlight.alone(once) {
                // Nothing is used up yet.
                try Task.checkCancellation()
                // A task of its own, which is not cancelled with this one.
                return try await Task { try await verifyingOnce(credential, codes, repeated, body) }.value
            }
        } catch let failure as IdentityFailure {
            throw failure.refusal(rejected: rejected, misconfigured: misconfigured)
        }
    }

    private func verifyingOnce<Value: Codable & Sendable>(
        _ credential: Credential, _ codes: (rejected: ErrorCode, misconfigured: ErrorCode),
        _ repeated: Once<Value, Draft>,
        _ body: @Sendable (VerifiedIdentity) async throws -> Value
    ) async throws -> Value {
        if credential.asksProvider, let answer = try await answerAgain(repeated) { return answer }
        let identity: VerifiedIdentity
        do {
            identity = try await verified(credential, rejected: codes.rejected, misconfigured: codes.misconfigured)
        } catch {
            // Another run of this call, at the same time on another node, may have used up what the credential has.
            guard let answer = try await answerAgain(repeated) else { throw error }
            return answer
        }
        return try await using(identity, body)
    }

    /// The identity of a credential, from its provider or from a completed browser login.
    ///
    /// - Parameters:
    ///   - rejected: the call's code for a refused credential.
    ///   - misconfigured: the call's code for a provider that doesn't exist, and for a credential that lacks something.
    private func verified(
        _ credential: Credential, rejected: ErrorCode, misconfigured: ErrorCode
    ) async throws -> VerifiedIdentity {
        let key = try actor.requireKey()
        do {
            return try await checking(.refusedCredentials) {
                guard let code = credential.loginCode else {
                    return try await services.providers.verify(
                        credential, app.providers[credential.provider], in: app.id, at: moment)
                }
                _ = try client(for: credential.provider, region: credential.region)
                return try await services.database.read { [self] tx in
                    try LoginAttemptRules.identity(
                        of: code, credential.provider, on: key, app: app.id, vault: services.vault, at: moment, in: tx)
                }
            }
        } catch let failure as IdentityFailure {
            throw failure.refusal(rejected: rejected, misconfigured: misconfigured)
        }
    }

    /// The client of a provider, with what the app has set for it.
    ///
    /// - Throws: ``IdentityFailure``.
    func client(for provider: Provider, region: String? = nil) throws -> ProviderClient {
        try services.providers.client(for: provider, app.providers[provider], region: region, in: app.id)
    }

    /// Runs a body that uses an identity's credential. A device that uses the same credential again needs no query.
    private func using<Value>(
        _ identity: VerifiedIdentity, _ body: (VerifiedIdentity) async throws -> Value
    ) async throws -> Value {
        let key = try actor.requireKey()
        if services.usedCredentials.isOf(key, identity, app: app.id, at: moment) {
            var identity = identity
            identity.claim = nil
            return try await body(identity)
        }
        let value = try await body(identity)
        services.usedCredentials.remember(identity, on: key, app: app.id)
        return value
    }
}

extension Credential {
    /// Whether the provider is asked about each use. An ID token alone is verified with the provider's published keys, which takes less
    /// time than to look for the outcome of an earlier call; and the code of a browser login is this server's own.
    fileprivate var asksProvider: Bool {
        loginCode == nil && (idToken == nil || accessToken != nil || authorizationCode != nil)
    }

    /// Whether its verification uses up a code at the provider.
    fileprivate var hasCodeOfProvider: Bool { asksProvider && authorizationCode != nil }
}

/// Used credentials, stored as hashes until they expire.
enum CredentialUseRules {
    /// Checks whether a credential that was used before may be used by this device. It only reads, so it comes first in its
    /// transaction.
    ///
    /// - Parameters:
    ///   - wasUsed: whether an earlier attempt has shown that it was used before.
    ///   - code: the code of the call for a credential that was used by another device.
    /// - Returns: whether its use has yet to be written.
    static func look(
        for claim: CredentialClaim, wasUsed: Bool, on device: KeyThumbprint, refused code: ErrorCode, _ change: Change,
        in tx: Reader
    ) throws -> Bool {
        guard case .token(let hash, _) = claim, wasUsed,
            let first = try CredentialUseQueries.device(of: hash, app: change.app.id, in: tx)
        else { return true }
        guard ConstantTime.isEqual(first, DeviceHash.of(device, with: hash)) else {
            throw Refusal(
                code, "The credential was used on another device.", reason: .credentialRejected,
                audit: "credential.replayed")
        }
        return false
    }

    /// Uses a credential, in the same transaction as its effect. It writes, so it comes last.
    ///
    /// - Throws: a violation of ``KnownCredentials/key`` if the credential was used before. ``Work`` has the next attempt check who
    ///   used it first.
    static func use(
        _ claim: CredentialClaim, on device: KeyThumbprint, refused code: ErrorCode, _ change: Change,
        in tx: Draft
    ) throws {
        switch claim {
        case .token(let hash, let end):
            // This is nearly always the first use. If it is not, the row's primary key is violated.
            try CredentialUseQueries.insert(
                hash, on: DeviceHash.of(device, with: hash), until: end, app: change.app.id, in: tx)
        case .loginAttempt(let id):
            try LoginAttemptRules.spend(id, app: change.app.id, refused: code, at: change.moment, in: tx)
        }
    }
}

/// Table `used_credentials`.
enum CredentialUseQueries {
    static func device(of hash: [UInt8], app: AppID, in tx: Reader) throws -> [UInt8]? {
        try tx.first(
            "SELECT device_hash FROM used_credentials WHERE credential_hash = \(hash) AND app_id = \(app)"
        ) { row in try row[0] }
    }

    static func insert(
        _ hash: [UInt8], on device: [UInt8], until end: Moment, app: AppID,
        in tx: Draft
    ) throws {
        try tx.insert(
            into: "used_credentials",
            [
                "app_id": app, "credential_hash": hash, "device_hash": device, "expires_at": end,
            ])
    }
}
