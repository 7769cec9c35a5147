import Foundation
import GatehouseStorage
import GatehouseWire

/// Logins that a browser is out on: begun by a device, ended once, bound to the key of that device (IDP-7).
enum LoginAttemptRules {
    /// For the player at the provider's page.
    static let lifetimeSeconds: Int64 = 600

    /// What an attempt knows of itself. Stored sealed.
    struct Plan: Sendable, Hashable, Codable {
        var login: CodeExchange.Login
        /// The game's own redirect.
        var target: String
        var region: String?
    }

    /// How an attempt stands.
    enum Status: String, Sendable, Hashable {
        /// The browser is out.
        case open
        /// It has come back, and the provider is being asked.
        case returned
        /// The game may log in.
        case verified
        case failed
        /// The game has logged in.
        case used
    }

    struct Attempt: Sendable {
        let id: String
        let app: AppID
        let provider: Provider
        let deviceHash: [UInt8]
        let status: Status
        let stateHash: [UInt8]
        let sealedPlan: [UInt8]
        let codeHash: [UInt8]?
        let sealedIdentity: [UInt8]?
        let expiresAt: Moment
    }

    static func begin(
        _ plan: Plan, state: SplitToken, _ provider: Provider, on device: KeyThumbprint, _ change: Change,
        in tx: Transaction
    ) throws -> Moment {
        let end = change.moment.adding(seconds: lifetimeSeconds)
        let sealed = try change.vault.seal(JSONWriter.bytes(of: plan), for: .loginPlan(state.id))
        try LoginAttemptQueries.insert(
            Attempt(
                id: state.id, app: change.app.id, provider: provider,
                deviceHash: CredentialUseRules.deviceHash(device, with: state.hash), status: .open,
                stateHash: state.hash, sealedPlan: sealed, codeHash: nil, sealedIdentity: nil, expiresAt: end), in: tx)
        return end
    }

    /// Takes up an attempt whose browser has come back: the first to come, at the provider that it went to (IDP-8).
    ///
    /// - Returns: nil for a state that is unknown, of another app or provider, over, or back already.
    static func take(
        _ state: SplitToken, _ provider: Provider, app: AppID, vault: KeyVault, at moment: Moment, in tx: Transaction
    ) throws -> Plan? {
        guard let attempt = try LoginAttemptQueries.attempt(state.id, in: tx), attempt.app == app,
            attempt.provider == provider, state.matches(attempt.stateHash), moment < attempt.expiresAt,
            try LoginAttemptQueries.move(state.id, from: .open, to: .returned, in: tx)
        else { return nil }
        return try JSONDecoder().decode(
            Plan.self, from: Data(vault.open(attempt.sealedPlan, for: .loginPlan(attempt.id))))
    }

    /// The provider has said who it is: the game may log in with the code, until the attempt's end.
    static func verified(
        _ state: SplitToken, _ identity: VerifiedIdentity, code: SplitToken, vault: KeyVault, in tx: Transaction
    ) throws {
        let sealed = try vault.seal(
            JSONWriter.bytes(of: StoredIdentity(key: identity.key, tokens: identity.tokens)),
            for: .loginIdentity(state.id))
        try LoginAttemptQueries.verify(state.id, identity: sealed, codeHash: code.hash, in: tx)
    }

    static func failed(_ state: SplitToken, in tx: Transaction) throws {
        _ = try LoginAttemptQueries.move(state.id, from: .returned, to: .failed, in: tx)
    }

    /// Who a code stands for. Nothing is spent yet: that is part of what the identity is used for.
    static func identity(
        of code: ProviderToken, _ provider: Provider, on device: KeyThumbprint, app: AppID, vault: KeyVault,
        at moment: Moment, in tx: Transaction
    ) throws -> VerifiedIdentity {
        guard let code = SplitToken(code.secretValue), let attempt = try LoginAttemptQueries.attempt(code.id, in: tx),
            let hash = attempt.codeHash, code.matches(hash), attempt.app == app, attempt.provider == provider,
            // A code that was intercepted is worth nothing to whoever has it.
            SessionRules.isSame(attempt.deviceHash, CredentialUseRules.deviceHash(device, with: attempt.stateHash)),
            let sealed = attempt.sealedIdentity
        else { throw IdentityFailure.rejected("the login code is unknown, or another device's") }
        guard moment < attempt.expiresAt else { throw IdentityFailure.expired }
        let stored = try JSONDecoder().decode(
            StoredIdentity.self, from: Data(vault.open(sealed, for: .loginIdentity(attempt.id))))
        return VerifiedIdentity(key: stored.key, tokens: stored.tokens, claim: .loginAttempt(attempt.id))
    }

    /// Of several uses of one code at once, one is the first.
    static func spend(_ id: String, refused code: ErrorCode, at moment: Moment, in tx: Transaction) throws {
        try LoginAttemptQueries.use(
            id, ifMissed: Refusal(code, "The login code was used.", reason: .credentialRejected, httpStatus: 401),
            in: tx)
    }

    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try LoginAttemptQueries.forget(before: moment, limit: limit, in: tx)
    }

    private struct StoredIdentity: Codable {
        let key: IdentityKey
        let tokens: IdentityTokens?
    }
}
