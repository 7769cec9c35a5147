import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Signs a person in with password and second factor. Both are checked in one step, so that there is no half signed-in session (CON-7).
package struct SignInOperator: ServerAction {
    package static let role: OperatorRole? = nil
    package static let isForVisitors = true

    let proof: OperatorProof
    let visitor: OperatorVisitor
    /// The session that the sign-in renews, for a dangerous action; it ends.
    let replacing: OperatorToken?

    package init(
        name: String, password: String, code: String, visitor: OperatorVisitor, replacing: OperatorToken? = nil
    ) {
        proof = OperatorProof(name: name, password: password, code: code)
        self.visitor = visitor
        self.replacing = replacing
    }

    package struct Outcome: Sendable {
        package let session: OperatorToken
        package let person: Operator
        /// Whether a recovery code was used. Then the second factor is probably lost.
        package let usedRecoveryCode: Bool
        /// How many recovery codes are left.
        package let recoveryCodes: Int
    }

    /// - Throws: 3 with status 403, whatever is wrong, after the same time; 8001 with status 429 after too many attempts.
    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        try await begin(try await proof.check(services, from: visitor, at: moment), services, at: moment)
    }

    func begin(_ checked: OperatorProof.Checked, _ services: Services, at moment: Moment) async throws -> Outcome {
        try await checked.permit(services, from: visitor, at: moment) { change, checked, tx in
            guard let person = try OperatorQueries.find(checked.person, in: tx)?.person else {
                throw OperatorRules.refused
            }
            if let replacing {
                try OperatorSessionQueries.delete(OperatorRules.hash(of: replacing.text), in: tx)
            }
            try change.record(checked.isRecoveryCode ? .recoveryUsed : .signedIn, of: person.name, in: tx)
            return Outcome(
                session: try OperatorRules.open(person, from: visitor, at: moment, random: change.random, in: tx),
                person: person, usedRecoveryCode: checked.isRecoveryCode,
                recoveryCodes: try OperatorQueries.recoveryCodes(of: person.id, in: tx))
        }
    }
}

/// Opens a session without a password, for the development server on this machine. The operator is created if there is none.
package struct EnterAsDeveloper: ServerAction {
    package static let role: OperatorRole? = nil
    package static let isForVisitors = true

    let visitor: OperatorVisitor

    package static let name = "developer"

    package init(visitor: OperatorVisitor) {
        self.visitor = visitor
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> OperatorToken {
        try await services.changeOperators(by: Self.name, from: visitor, at: moment) { [visitor] change, tx in
            let person: Operator
            if let found = try OperatorQueries.find(named: Self.name, in: tx)?.person {
                person = found
            } else {
                person = Operator(
                    id: OperatorID(TimeOrderedID.entry(at: moment, random: change.random)), name: Self.name,
                    createdAt: moment)
                try OperatorQueries.insert(person, in: tx)
                try OperatorQueries.setGrants([.everything: .owner], of: person.id, in: tx)
            }
            try change.record(.signedIn, of: Self.name, in: tx)
            // Who has no password could not sign in again.
            let elevation = person.isEnrolled ? OperatorSession.elevationSeconds : OperatorSession.longestSeconds
            return try OperatorRules.open(
                person, from: visitor, at: moment, random: change.random, elevationSeconds: elevation, in: tx)
        }
    }
}

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

/// Where somebody uses the console from.
package struct OperatorVisitor: Sendable, Hashable {
    package let address: String
    /// The browser's `User-Agent`, cut.
    package let agent: String
    /// The mark of an earlier sign-in in the same browser.
    package let browser: KnownBrowser?

    /// A sign-in takes a place of its network in the queue of slow hashes.
    var hashOrigin: HashShares.Origin { .console(ClientAddress(address)) }

    package init(address: String, agent: String, browser: KnownBrowser? = nil) {
        self.browser = browser
        self.address = address
        self.agent = String(agent.unicodeScalars.prefix(200).map { $0.value == 0 ? " " : Character($0) })
    }
}

/// A browser in which an operator has signed in. It keeps this value, sealed, for thirty days, so neither a table nor a restart is
/// involved, and every node knows it. It opens nothing: its wrong attempts are counted apart from those of everybody else at the same
/// name (CON-9).
package struct KnownBrowser: Codable, Sendable, Hashable {
    package static let seconds: Int64 = 30 * 86_400

    package let browser: String
    package let operatorName: String

    /// - Parameter earlier: the same browser's value, whose id it keeps.
    package init(name: String, earlier: KnownBrowser?, random: RandomSource) {
        let own = earlier.flatMap { $0.operatorName.isExactly(name) ? $0.browser : nil }
        browser = own ?? Base64URL.encode(random.bytes(16))
        operatorName = name
    }

    /// The id, for attempts at this name alone.
    func id(for name: String) -> String? { operatorName.isExactly(name) ? browser : nil }
}

extension Actions {
    package func sealBrowser(_ browser: KnownBrowser, at moment: Moment) throws -> String {
        try sealForm(browser, at: moment)
    }

    /// Nil for what is not sealed by this server, or is older than ``KnownBrowser/seconds``.
    package func openBrowser(_ sealed: String, at moment: Moment) -> KnownBrowser? {
        openForm(sealed, within: KnownBrowser.seconds, at: moment)
    }
}

// A form whose session has ended is given to its browser, sealed, until its person has signed in again.
extension Actions {
    package static let keptSeconds: Int64 = 3_600

    /// Seals a form for its browser.
    package func sealForm(_ form: some Encodable, at moment: Moment) throws -> String {
        let text = "\(moment.milliseconds)\n\(try JSONText.write(form))"
        return Base64URL.encode(try services.vault.seal(text.utf8, for: .consoleForm))
    }

    /// Opens a form of the last hour; nil for anything else.
    package func openForm<Form: Decodable>(
        _ sealed: String, within seconds: Int64 = keptSeconds, at moment: Moment
    ) -> Form? {
        guard let bytes = Base64URL.decode(sealed.utf8), let opened = try? services.vault.open(bytes, for: .consoleForm)
        else { return nil }
        let parts = String(decoding: opened, as: UTF8.self).parts(at: "\n", atMost: 2)
        guard parts.count == 2, let date = Int64(parts[0]),
            moment < Moment(milliseconds: date).adding(seconds: seconds)
        else { return nil }
        return try? JSONText.read(String(parts[1]))
    }
}
