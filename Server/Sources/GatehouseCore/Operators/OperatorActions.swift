package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Makes a person an operator, or lets one enrol again, for example after losing the second factor. The link's secret is returned only
/// here; with it the person sets a password and a second factor within a day.
package struct InviteOperator: ServerAction {
    let name: String
    /// The new operator's roles. Nil for an operator that exists already.
    let grants: [GrantScope: OperatorRole]?

    package init(name: String, grants: [GrantScope: OperatorRole]?) {
        self.name = name
        self.grants = grants
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> OperatorToken {
        try OperatorRules.requireName(name)
        let (random, vault) = (services.random, services.vault)
        let token = OperatorToken(random: random)
        let sealed = try vault.seal(random.bytes(TOTP.secretLength), for: .operatorSecret(token.text))
        try await services.changeOperators(by: actor, at: moment) { tx in
            let person: Operator
            if let grants {
                person = Operator(
                    id: OperatorID(TimeOrderedID.entry(at: moment, random: random)), name: name, createdAt: moment)
                try OperatorQueries.insert(person, in: tx)
                try OperatorQueries.setGrants(grants, of: person.id, in: tx)
            } else {
                guard let found = try OperatorQueries.find(named: name, in: tx) else {
                    throw Refusal.parameter("name", "There is no operator of this name.")
                }
                person = found.person
                // What somebody else may hold is void as soon as a new link is out.
                try OperatorSessionQueries.delete(of: person.id, in: tx)
                try OperatorQueries.voidInvitations(of: person.id, in: tx)
            }
            try OperatorQueries.insertInvitation(
                OperatorRules.hash(of: token.text), of: person.id, sealedSecret: sealed,
                until: moment.adding(seconds: OperatorRules.invitationSeconds), in: tx)
            return (grants == nil ? "operator.factor-reset" : "operator.invited")
        }
        return token
    }
}

/// Reads an invitation, for its page.
package struct ReadInvitation: ServerAction {
    let token: String

    package init(token: String) {
        self.token = token
    }

    package struct Outcome: Sendable {
        package let name: String
        package let secret: TOTP
    }

    /// - Throws: 3 with status 410 for a link that was used, is too old, or was never made.
    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        let vault = services.vault
        return try await services.database.read { tx in
            let (person, secret) = try Enrolment.find(token, at: moment, vault: vault, in: tx)
            return Outcome(name: person.name, secret: TOTP(secret: secret))
        }
    }
}

/// The two steps of an enrolment.
private enum Enrolment {
    static func find(
        _ token: String, at moment: Moment, vault: KeyVault, in tx: Reader
    ) throws -> (person: Operator, secret: [UInt8]) {
        guard let invitation = try OperatorQueries.invitation(OperatorRules.hash(of: token), in: tx),
            invitation.usedAt == nil, moment < invitation.expiresAt,
            let person = try OperatorQueries.find(invitation.id, in: tx)?.person, !person.isDisabled
        else { throw OperatorRules.invitationIsOver }
        return (person, try vault.open(invitation.sealedSecret, for: .operatorSecret(token)))
    }
}

/// Sets a person's password and second factor, and signs the person in.
package struct EnrolOperator: ServerAction {
    let token: String
    let password: String
    /// A code of the second factor, which shows that the person's device has it.
    let code: String
    let preferences: OperatorPreferences
    let visitor: OperatorVisitor

    package init(
        token: String, password: String, code: String, preferences: OperatorPreferences, visitor: OperatorVisitor
    ) {
        self.token = token
        self.password = password
        self.code = code
        self.preferences = preferences
        self.visitor = visitor
    }

    package struct Outcome: Sendable {
        package let session: OperatorToken
        /// Each replaces a code of the second factor once. They are returned only here.
        package let recoveryCodes: [String]
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        let (random, vault) = (services.random, services.vault)
        let (person, secret) = try await services.database.read { tx in
            try Enrolment.find(token, at: moment, vault: vault, in: tx)
        }
        try OperatorRules.requirePassword(password, of: person.name)
        guard let step = TOTP(secret: secret).step(of: code, at: moment, after: 0) else {
            throw Refusal.parameter("code", "The code is not the one that the app shows now.")
        }
        let hash = try await services.operatorHasher.hash(password, for: visitor.hashOrigin, random: random)
        let codes = OperatorRules.recoveryCodes(random)
        let sealed = try vault.seal(secret, for: .operatorSecret(person.id.rawValue))
        let session = try await services.database.transact { tx in
            try OperatorQueries.useInvitation(
                OperatorRules.hash(of: token), at: moment, else: OperatorRules.invitationIsOver, in: tx)
            try OperatorQueries.setCredentials(
                passwordHash: hash.bytes, sealedSecret: sealed, step: step, of: person.id, in: tx)
            try OperatorQueries.setRecoveryCodes(
                codes.map { OperatorRules.hash(of: OperatorRules.normalized($0)) }, of: person.id, in: tx)
            try OperatorQueries.set(preferences, of: person.id, in: tx)
            try OperatorSessionQueries.delete(of: person.id, in: tx)
            return try OperatorRules.open(person, from: visitor, at: moment, random: random, in: tx)
        }
        services.note("operator.enrolled", by: person, from: visitor)
        return Outcome(session: session, recoveryCodes: codes)
    }
}

/// Signs a person in with password and second factor. Both are checked in one step, so that there is no half signed-in session (CON-7).
package struct SignInOperator: ServerAction {
    let name: String
    let password: String
    /// A code of the second factor, or a recovery code.
    let code: String
    let visitor: OperatorVisitor
    /// The session that the sign-in renews, for a dangerous action; it ends.
    let replacing: OperatorToken?

    package init(
        name: String, password: String, code: String, visitor: OperatorVisitor, replacing: OperatorToken? = nil
    ) {
        self.name = name
        self.password = password
        self.code = code
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
        if let wait = services.operatorAttempts.take(name: name, address: visitor.address, at: moment) {
            services.note("operator.refused", named: name, from: visitor)
            throw Refusal.tooManyRequests(retryAfterSeconds: wait)
        }
        let found = try await services.database.read { tx in try OperatorQueries.find(named: name, in: tx) }
        let known = found?.credentials.passwordHash.flatMap { PasswordHash(bytes: $0) }
        // An unknown name takes as long as a known one.
        let isRight = try await services.operatorHasher.matches(
            password, known, for: visitor.hashOrigin, random: services.random)
        guard isRight, let (person, credentials) = found, !person.isDisabled, let sealed = credentials.sealedSecret
        else {
            services.note("operator.refused", named: name, from: visitor)
            throw OperatorRules.refused
        }
        do {
            let outcome = try await begin(person, credentials, sealed, services, at: moment)
            services.operatorAttempts.forget(name: name, address: visitor.address)
            services.note(
                outcome.usedRecoveryCode ? "operator.recovery-used" : "operator.signed-in", by: person, from: visitor)
            return outcome
        } catch let refusal as Refusal {
            services.note("operator.refused", named: name, from: visitor)
            throw refusal
        }
    }

    private func begin(
        _ person: Operator, _ credentials: OperatorQueries.Credentials, _ sealed: [UInt8], _ services: Services,
        at moment: Moment
    ) async throws -> Outcome {
        let random = services.random
        let totp = TOTP(secret: try services.vault.open(sealed, for: .operatorSecret(person.id.rawValue)))
        let plain = code.filter { !$0.isWhitespace }
        let step = totp.step(of: plain, at: moment, after: credentials.lastStep)
        return try await services.database.transact { tx in
            if let step {
                try OperatorQueries.use(step: step, of: person.id, else: OperatorRules.refused, in: tx)
            } else {
                try OperatorQueries.useRecoveryCode(
                    OperatorRules.hash(of: OperatorRules.normalized(code)), of: person.id, else: OperatorRules.refused,
                    in: tx)
            }
            if let replacing {
                try OperatorSessionQueries.delete(OperatorRules.hash(of: replacing.text), in: tx)
            }
            return Outcome(
                session: try OperatorRules.open(person, from: visitor, at: moment, random: random, in: tx),
                person: person, usedRecoveryCode: step == nil,
                recoveryCodes: try OperatorQueries.recoveryCodes(of: person.id, in: tx))
        }
    }
}

/// Opens a session without a password, for the development server on this machine. The operator is created if there is none.
package struct EnterAsDeveloper: ServerAction {
    let visitor: OperatorVisitor

    package static let name = "developer"

    package init(visitor: OperatorVisitor) {
        self.visitor = visitor
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> OperatorToken {
        let random = services.random
        let token = try await services.database.transact { tx in
            let person: Operator
            if let found = try OperatorQueries.find(named: Self.name, in: tx)?.person {
                person = found
            } else {
                person = Operator(
                    id: OperatorID(TimeOrderedID.entry(at: moment, random: random)), name: Self.name, createdAt: moment)
                try OperatorQueries.insert(person, in: tx)
                try OperatorQueries.setGrants([.everything: .owner], of: person.id, in: tx)
            }
            return try OperatorRules.open(person, from: visitor, at: moment, random: random, in: tx)
        }
        services.note("operator.signed-in", named: Self.name, from: visitor)
        return token
    }
}
