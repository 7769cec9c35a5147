import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What a person shows to sign in, or to change the own credentials: the password and a code of the second factor, or a recovery code.
/// Both are checked in one step, so that nobody learns which was wrong (CON-7, CON-9).
package struct OperatorProof: Sendable {
    let name: String
    let password: String
    let code: String

    package init(name: String, password: String, code: String) {
        self.name = name.typedName
        self.password = password
        self.code = code
    }

    /// Compares with what the database has. That takes as long as the slow hash, and what was compared may have changed meanwhile:
    /// ``Checked/use(in:)`` decides.
    ///
    /// - Throws: 3 with status 403, whatever is wrong, after the same time; 8001 with status 429 after too many attempts.
    func check(_ services: Services, from visitor: OperatorVisitor, at moment: Moment) async throws -> Checked {
        let attempt = OperatorAttemptRules.Attempt(
            name: name, browser: visitor.browser?.id(for: name), address: visitor.address)
        do {
            if let refused = services.operatorAttempts.refusal(of: attempt, at: moment) { throw refused }
            try await services.database.transact { [vault = services.vault] tx in
                try OperatorAttemptRules.take(attempt, vault: vault, at: moment, in: tx)
            }
        } catch let refused as OperatorAttemptRules.TooMany {
            services.operatorAttempts.remember(refused)
            services.noteRefusedOperator(named: name, from: visitor)
            throw refused.refusal(at: moment)
        }
        let found = try await services.database.read { tx in try OperatorQueries.find(named: name, in: tx) }
        let known = found?.credentials.passwordHash.flatMap { PasswordHash(bytes: $0) }
        // An unknown name takes as long as a known one.
        let verdict = try await services.operatorHasher.verdict(
            on: password, known, for: visitor.hashOrigin, random: services.random)
        guard verdict != .wrong, let (person, credentials) = found, !person.isDisabled,
            let hash = credentials.passwordHash, let sealed = credentials.sealedSecret
        else {
            services.noteRefusedOperator(named: name, from: visitor)
            throw OperatorRules.refused
        }
        let totp = TOTP(secret: try services.vault.open(sealed, for: .operatorSecret(person.id.rawValue)))
        let step = totp.step(of: code, at: moment, after: credentials.lastStep)
        // A wrong code takes as long after a right password as after a wrong one.
        let renewed: [UInt8]? =
            if verdict == .outdated, step != nil { await renewedHash(services, for: visitor.hashOrigin) } else { nil }
        return Checked(
            attempt: attempt, person: person.id, name: person.name, passwordHash: hash, renewedHash: renewed,
            sealedSecret: sealed, step: step, codeHash: OperatorRules.hash(of: OperatorRules.normalized(code)))
    }

    /// The hash of the prepared password. Nil if it can't be prepared, or not now: a later sign-in renews the stored one.
    private func renewedHash(_ services: Services, for origin: HashShares.Origin) async -> [UInt8]? {
        guard let prepared = PasswordHash.prepared(password) else { return nil }
        return try? await services.operatorHasher.hash(prepared, for: origin, random: services.random).bytes
    }

    /// Checks, and then changes what depends on it.
    func permit<Value: Sendable>(
        _ services: Services, from visitor: OperatorVisitor, at moment: Moment,
        _ body: @escaping @Sendable (OperatorChange, Checked, Transaction) throws -> Value
    ) async throws -> Value {
        let checked = try await check(services, from: visitor, at: moment)
        return try await checked.permit(services, from: visitor, at: moment, body)
    }

    /// A password that was right, with a code that is compared but not used up.
    struct Checked: Sendable {
        fileprivate let attempt: OperatorAttemptRules.Attempt
        let person: OperatorID
        let name: String
        let passwordHash: [UInt8]
        /// What takes its place with the use of the code; nil if it stays.
        let renewedHash: [UInt8]?
        let sealedSecret: [UInt8]
        /// Nil if it is no code of the second factor. Then it may be a recovery code.
        let step: Int64?
        let codeHash: [UInt8]

        var isRecoveryCode: Bool { step == nil }

        func permit<Value: Sendable>(
            _ services: Services, from visitor: OperatorVisitor, at moment: Moment,
            _ body: @escaping @Sendable (OperatorChange, Checked, Transaction) throws -> Value
        ) async throws -> Value {
            do {
                let vault = services.vault
                return try await services.changeOperators(by: name, from: visitor, at: moment) { change, tx in
                    try use(in: tx)
                    let value = try body(change, self, tx)
                    try OperatorAttemptRules.succeed(attempt, vault: vault, in: tx)
                    return value
                }
            } catch let refusal as Refusal {
                services.noteRefusedOperator(named: name, from: visitor)
                throw refusal
            }
        }

        /// Uses up the code. It is the first statement of a transaction, and finds nothing if the password, the second factor or the
        /// person's permission has changed since the check (CON-10).
        private func use(in tx: Transaction) throws {
            try OperatorQueries.use(
                step: step, of: person, passwordHash: passwordHash, sealedSecret: sealedSecret,
                else: OperatorRules.refused, in: tx)
            if step == nil {
                try OperatorQueries.useRecoveryCode(codeHash, of: person, else: OperatorRules.refused, in: tx)
            }
            if let renewedHash { try OperatorQueries.setPassword(renewedHash, of: person, in: tx) }
        }
    }
}
