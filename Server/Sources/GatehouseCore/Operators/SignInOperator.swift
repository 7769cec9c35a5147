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
