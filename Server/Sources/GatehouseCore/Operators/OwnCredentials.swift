package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Changes a person's own password. All sessions end, and another begins: a copy of this one's cookie counts no more.
package struct ChangeOperatorPassword: ServerAction {
    package static let role: OperatorRole? = nil

    let session: OperatorSession
    let proof: OperatorProof
    let new: String
    let visitor: OperatorVisitor

    package init(session: OperatorSession, password: String, code: String, new: String, visitor: OperatorVisitor) {
        self.session = session
        proof = OperatorProof(name: session.person.name, password: password, code: code)
        self.new = new
        self.visitor = visitor
    }

    /// - Returns: the new session.
    /// - Throws: 3 with status 400 for a new password that is too weak, and what ``OperatorProof`` throws.
    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> OperatorToken {
        let prepared = try OperatorRules.requirePassword(new, of: session.person.name, as: "new")
        let checked = try await proof.check(services, from: visitor, at: moment)
        let hash = try await services.operatorHasher.hash(prepared, for: visitor.hashOrigin, random: services.random)
        return try await change(hash.bytes, checked, services, at: moment)
    }

    func change(
        _ hash: [UInt8], _ checked: OperatorProof.Checked, _ services: Services, at moment: Moment
    ) async throws -> OperatorToken {
        try await checked.permit(services, from: visitor, at: moment) { [session, visitor] change, checked, tx in
            try OperatorQueries.setPassword(hash, of: checked.person, in: tx)
            try change.record(.passwordChanged, of: checked.name, in: tx)
            return try OperatorRules.reopen(
                session.person, from: visitor, at: moment, random: change.random, in: tx)
        }
    }
}

/// A second factor that a person has not confirmed yet. The browser keeps it, sealed, between the page and its form.
package struct OfferedFactor: Codable, Sendable {
    let person: String
    let secret: [UInt8]

    package init(for session: OperatorSession, random: RandomSource) {
        person = session.person.id.rawValue
        secret = random.bytes(TOTP.secretLength)
    }

    package var totp: TOTP { TOTP(secret: secret) }

    package func isFor(_ session: OperatorSession) -> Bool { person == session.person.id.rawValue }
}

/// Replaces a person's own second factor, and the recovery codes with it. All sessions end, and another begins.
package struct RenewOperatorFactor: ServerAction {
    package static let role: OperatorRole? = nil

    let session: OperatorSession
    let proof: OperatorProof
    let factor: OfferedFactor
    /// A code of the new factor, which shows that the person's device has it.
    let newCode: String
    let visitor: OperatorVisitor

    package init(
        session: OperatorSession, password: String, code: String, factor: OfferedFactor, newCode: String,
        visitor: OperatorVisitor
    ) {
        self.session = session
        proof = OperatorProof(name: session.person.name, password: password, code: code)
        self.factor = factor
        self.newCode = newCode
        self.visitor = visitor
    }

    package struct Outcome: Sendable {
        package let session: OperatorToken
        /// They are returned only here.
        package let recoveryCodes: [String]
    }

    /// - Throws: 3 with status 400 for a wrong code of the new factor, and what ``OperatorProof`` throws.
    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        guard factor.isFor(session), let step = factor.totp.step(of: newCode, at: moment, after: 0) else {
            throw Refusal.parameter("newCode", "The code is not the one that the app shows now.")
        }
        let codes = OperatorRules.recoveryCodes(services.random)
        let sealed = try services.vault.seal(factor.secret, for: .operatorSecret(session.person.id.rawValue))
        let token = try await proof.permit(services, from: visitor, at: moment) {
            [session, visitor] change, checked, tx in
            try OperatorQueries.setFactor(sealed, step: step, of: checked.person, in: tx)
            try OperatorQueries.setRecoveryCodes(OperatorRules.hashes(of: codes), of: checked.person, in: tx)
            try change.record(.factorRenewed, of: checked.name, in: tx)
            return try OperatorRules.reopen(
                session.person, from: visitor, at: moment, random: change.random, in: tx)
        }
        return Outcome(session: token, recoveryCodes: codes)
    }
}

/// Replaces a person's own recovery codes.
package struct RenewRecoveryCodes: ServerAction {
    package static let role: OperatorRole? = nil

    let proof: OperatorProof
    let visitor: OperatorVisitor

    package init(session: OperatorSession, password: String, code: String, visitor: OperatorVisitor) {
        proof = OperatorProof(name: session.person.name, password: password, code: code)
        self.visitor = visitor
    }

    /// - Returns: the new codes. They are returned only here.
    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [String] {
        let codes = OperatorRules.recoveryCodes(services.random)
        try await proof.permit(services, from: visitor, at: moment) { change, checked, tx in
            try OperatorQueries.setRecoveryCodes(OperatorRules.hashes(of: codes), of: checked.person, in: tx)
            try change.record(.recoveryCodesRenewed, of: checked.name, in: tx)
        }
        return codes
    }
}
