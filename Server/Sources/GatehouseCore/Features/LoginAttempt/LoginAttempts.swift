import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Login attempts with a browser: begun by a device, completed once, bound to the key of that device (IDP-7).
enum LoginAttemptRules {
    /// How long a player may take at the provider's page.
    static let lifetimeSeconds: Int64 = 600

    /// The data of an attempt, which is stored encrypted.
    struct Plan: Sendable, Hashable, Codable {
        var login: CodeLogin
        /// The redirect to the game, or to the page that shows what a test has found.
        var target: String
        var region: String?
        /// The operator who tests the provider; nil for a player. A test makes no code, so nobody can log in with it.
        var tester: OperatorID?
    }

    /// The status of an attempt.
    enum Status: String, Sendable, Hashable {
        /// The browser has not come back yet.
        case open
        /// The browser has come back, and the provider is being asked.
        case returned
        /// The game may log in.
        case verified
        case failed
        /// The game has logged in, or a test has its result.
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

    /// The parameters of a login at a provider's page.
    ///
    /// - Parameter callback: where the provider sends the browser back.
    static func login(_ state: SplitToken, back callback: String, random: RandomSource) -> CodeLogin {
        CodeLogin(
            state: state.text, nonce: Base64URL.encode(random.bytes(16)),
            verifier: Base64URL.encode(random.bytes(32)), redirectUri: callback)
    }

    /// - Parameter device: the only one that may log in with the code; nil for a test, whose attempt no device can use.
    @discardableResult
    static func begin(
        _ plan: Plan, state: SplitToken, _ provider: Provider, on device: KeyThumbprint?, _ change: Change,
        in tx: Draft
    ) throws -> Moment {
        let end = change.moment.adding(seconds: lifetimeSeconds)
        let sealed = try change.vault.seal(JSONWriter.bytes(of: plan), for: .loginPlan(state.id))
        try LoginAttemptQueries.insert(
            Attempt(
                id: state.id, app: change.app.id, provider: provider,
                deviceHash: device.map { DeviceHash.of($0, with: state.hash) } ?? [], status: .open,
                stateHash: state.hash, sealedPlan: sealed, codeHash: nil, sealedIdentity: nil, expiresAt: end), in: tx)
        return end
    }

    /// Claims an attempt whose browser has come back. Only the first browser is accepted, and only from the provider to which it was
    /// sent (IDP-8).
    ///
    /// - Returns: nil for a state that is unknown, belongs to another app or provider, has expired, or was already used.
    static func take(
        _ state: SplitToken, _ provider: Provider, app: AppID, vault: KeyVault, at moment: Moment, in tx: Draft
    ) throws -> Plan? {
        guard let attempt = try LoginAttemptQueries.attempt(state.id, app: app, in: tx),
            attempt.provider == provider, state.matches(attempt.stateHash), moment < attempt.expiresAt,
            attempt.status == .open
        else { return nil }
        try LoginAttemptQueries.move(
            state.id, app: app, from: .open, to: .returned, ifMissed: StorageError.conflict, in: tx)
        return try plan(of: attempt, vault: vault)
    }

    private static func plan(of attempt: Attempt, vault: KeyVault) throws -> Plan {
        try StoredJSON.read(Plan.self, from: vault.open(attempt.sealedPlan, for: .loginPlan(attempt.id)))
    }

    /// Stores the identity that the provider has confirmed. The game may log in with the code until the attempt expires.
    static func verified(
        _ state: SplitToken, _ identity: VerifiedIdentity, code: SplitToken, app: AppID, vault: KeyVault, in tx: Draft
    ) throws {
        let sealed = try vault.seal(
            JSONWriter.bytes(of: StoredIdentity(key: identity.key, tokens: identity.tokens)),
            for: .loginIdentity(state.id))
        try LoginAttemptQueries.verify(state.id, app: app, identity: sealed, codeHash: code.hash, in: tx)
    }

    static func failed(_ state: SplitToken, app: AppID, in tx: Draft) throws {
        try LoginAttemptQueries.move(state.id, app: app, from: .returned, to: .failed, in: tx)
    }

    /// The identity of a code. The code is not used up yet: that happens in the transaction that uses the identity.
    static func identity(
        of code: ProviderToken, _ provider: Provider, on device: KeyThumbprint, app: AppID, vault: KeyVault,
        at moment: Moment, in tx: Reader
    ) throws -> VerifiedIdentity {
        guard let code = SplitToken(code.secretValue),
            let attempt = try LoginAttemptQueries.attempt(code.id, app: app, in: tx),
            let hash = attempt.codeHash, code.matches(hash), attempt.provider == provider,
            // An intercepted code is useless without the device's key.
            ConstantTime.isEqual(attempt.deviceHash, DeviceHash.of(device, with: attempt.stateHash)),
            let sealed = attempt.sealedIdentity
        else { throw IdentityFailure.rejected("the login code is unknown, or another device's") }
        guard moment < attempt.expiresAt else { throw IdentityFailure.expired }
        let stored = try StoredJSON.read(StoredIdentity.self, from: vault.open(sealed, for: .loginIdentity(attempt.id)))
        return VerifiedIdentity(key: stored.key, tokens: stored.tokens, claim: .loginAttempt(attempt.id))
    }

    /// Stores what a test has found. It can be read for as long as a login may take, from now on.
    static func tested(
        _ id: String, app: AppID, _ result: TestLoginResult, from status: Status, vault: KeyVault, at moment: Moment,
        in tx: Draft
    ) throws {
        let sealed = try vault.seal(JSONWriter.bytes(of: result), for: .loginIdentity(id))
        try LoginAttemptQueries.show(
            id, app: app, result: sealed, until: moment.adding(seconds: lifetimeSeconds), from: status, in: tx)
    }

    /// A test of this operator; nil for an attempt that is unknown, of another operator, app or provider, or a player's.
    static func test(
        _ id: String, _ provider: Provider, of person: OperatorID, app: AppID, vault: KeyVault, in tx: Reader
    ) throws -> (endsAt: Moment, result: TestLoginResult?)? {
        guard let attempt = try LoginAttemptQueries.attempt(id, app: app, in: tx),
            attempt.provider == provider, try plan(of: attempt, vault: vault).tester == person
        else { return nil }
        let result = try attempt.sealedIdentity.map { sealed in
            try StoredJSON.read(TestLoginResult.self, from: vault.open(sealed, for: .loginIdentity(attempt.id)))
        }
        return (attempt.expiresAt, result)
    }

    /// Only one of several concurrent uses of a code succeeds.
    static func spend(_ id: String, app: AppID, refused code: ErrorCode, at moment: Moment, in tx: Draft) throws {
        try LoginAttemptQueries.use(
            id, app: app,
            ifMissed: Refusal(code, "The login code was used.", reason: .credentialRejected, httpStatus: 401),
            in: tx)
    }

    private struct StoredIdentity: Codable {
        let key: IdentityKey
        let tokens: IdentityTokens?
    }
}

/// Table `login_attempts`.
enum LoginAttemptQueries {
    static let key = UniqueConstraint.primaryKey(of: "login_attempts", "attempt_id", "app_id")

    static func insert(_ attempt: LoginAttemptRules.Attempt, in tx: Draft) throws {
        try tx.insert(
            into: "login_attempts",
            [
                "attempt_id": attempt.id, "app_id": attempt.app, "idp": attempt.provider,
                "device_hash": attempt.deviceHash, "status": attempt.status.rawValue, "state_hash": attempt.stateHash,
                "sealed_login": attempt.sealedPlan, "expires_at": attempt.expiresAt,
            ], ifTaken: [key: StorageError.conflict])
    }

    static func attempt(_ id: String, app: AppID, in tx: Reader) throws -> LoginAttemptRules.Attempt? {
        try tx.first(
            """
            SELECT idp, device_hash, status, state_hash, sealed_login, code_hash, sealed_identity, expires_at
            FROM login_attempts WHERE attempt_id = \(id) AND app_id = \(app)
            """
        ) { row in
            LoginAttemptRules.Attempt(
                id: id, app: app, provider: try row[0], deviceHash: try row[1],
                status: LoginAttemptRules.Status(rawValue: try row[2]) ?? .failed, stateHash: try row[3],
                sealedPlan: try row[4], codeHash: try row[5], sealedIdentity: try row[6], expiresAt: try row[7])
        }
    }

    /// Changes the status of an attempt that has the old one.
    ///
    /// - Parameter miss: the transaction's error if it has another status: only one of several concurrent calls moves it.
    static func move(
        _ id: String, app: AppID, from old: LoginAttemptRules.Status, to new: LoginAttemptRules.Status,
        ifMissed miss: (any Error)? = nil, in tx: Draft
    ) throws {
        try tx.update(
            "login_attempts",
            set: "status = \(new.rawValue)",
            where: ["attempt_id": id, "app_id": app], and: "status = \(old.rawValue)", ifMissed: miss)
    }

    static func verify(
        _ id: String, app: AppID, identity sealed: [UInt8], codeHash: [UInt8], in tx: Draft
    ) throws {
        try tx.update(
            "login_attempts",
            set: """
                status = \(LoginAttemptRules.Status.verified.rawValue), sealed_identity = \(sealed),
                code_hash = \(codeHash)
                """,
            where: ["attempt_id": id, "app_id": app], and: "status = \(LoginAttemptRules.Status.returned.rawValue)")
    }

    /// Stores the result of a test. Without a code's hash nobody can log in with the attempt.
    static func show(
        _ id: String, app: AppID, result sealed: [UInt8], until end: Moment, from old: LoginAttemptRules.Status,
        in tx: Draft
    ) throws {
        try tx.update(
            "login_attempts",
            set: """
                status = \(LoginAttemptRules.Status.used.rawValue), sealed_identity = \(sealed), expires_at = \(end)
                """,
            where: ["attempt_id": id, "app_id": app], and: "status = \(old.rawValue)")
    }

    static func use(_ id: String, app: AppID, ifMissed refusal: Refusal, in tx: Draft) throws {
        try move(id, app: app, from: .verified, to: .used, ifMissed: refusal, in: tx)
    }
}
