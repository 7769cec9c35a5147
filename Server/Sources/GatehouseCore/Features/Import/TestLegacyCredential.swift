package import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Tries a credential of another system, as an exchange would. Nothing is written.
package struct TestLegacyCredential: Action {
    package static let permission = Permission.administer

    package enum Outcome: Sendable, Hashable {
        case person(LegacyPerson, isImported: Bool)
        case refused(why: String)
    }

    let source: String
    let credential: LegacyCredential

    package init(source: String, credential: LegacyCredential) {
        self.source = source
        self.credential = credential
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let app = work.app.id
        let source = try await work.read { [moment = work.moment] tx in
            try LegacySourceRules.open(self.source, app: app, at: moment, in: tx)
        }
        do {
            let person = try await work.person(of: credential, from: source)
            let member = try await work.read { tx in
                try LegacyQueries.member(person.legacyID, source: source.name, app: app, in: tx)
            }
            return .person(person, isImported: member != nil)
        } catch let failure as IdentityFailure {
            return .refused(why: failure.words)
        }
    }
}
