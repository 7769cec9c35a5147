import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Reads what an operator's own test of a login with a browser has shown.
package struct ReadTestLogin: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let id: String
    let provider: Provider
    let person: OperatorID

    package init(id: String, provider: Provider, person: OperatorID) {
        self.id = id
        self.provider = provider
        self.person = person
    }

    package enum State: Sendable {
        /// The browser has not come back yet.
        case waiting(until: Moment)
        /// The time in which it could come back, or be looked at, is over.
        case over
        /// - Parameter owner: the member that has this identity already.
        case shown(TestLoginResult, owner: UserID?)
    }

    /// Returns nil for a test that is unknown, deleted, or another operator's.
    package func perform(_ work: Work) async throws -> State? {
        let (app, moment) = (work.app.id, work.moment)
        return try await work.services.database.read { [self, vault = work.services.vault] tx in
            guard
                let test = try LoginAttemptRules.test(id, provider, of: person, app: app, vault: vault, in: tx)
            else { return nil }
            guard moment < test.endsAt else { return .over }
            guard let result = test.result else { return .waiting(until: test.endsAt) }
            return .shown(
                result,
                owner: try result.sample.flatMap { try MemberQueries.owner(of: $0.identity, app: app, in: tx) })
        }
    }
}
