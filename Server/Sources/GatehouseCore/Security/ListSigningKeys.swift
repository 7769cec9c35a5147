package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Lists the keys that sign an app's access tokens, newest first, for operators.
package struct ListSigningKeys: Action {
    package static let permission = Permission.administer

    package init() {}

    package struct Key: Sendable, Hashable {
        package enum State: String, Sendable {
            /// Game servers can fetch it already, and it will sign.
            case published
            case signs
            /// It signs no more, and tokens that it has signed are still valid.
            case replaced
            /// No token of it is valid any more.
            case retired
        }

        package let id: String
        package let state: State
        package let createdAt: Moment
        package let activeAt: Moment
        /// When its last tokens end; nil while no other key has taken over.
        package let tokensUntil: Moment?
    }

    package func perform(_ work: Work) async throws -> [Key] {
        let (app, moment) = (work.app.id, work.moment)
        let lifetime = work.services.issuer.lifetimes.accessTokenSeconds
        let rows = try await work.services.database.report { tx in try KeyQueries.keys(of: app, in: tx) }
        let starts = rows.map { Moment(milliseconds: $0.activeAt) }
        // As ``SigningKeySet/signing(at:)`` chooses.
        let signing = starts.lastIndex { $0 <= moment } ?? starts.startIndex
        return rows.enumerated().map { index, row in
            let until = index + 1 < starts.count ? starts[index + 1].adding(seconds: lifetime) : nil
            let state: Key.State =
                if index == signing { .signs } else if index > signing { .published } else {
                    until.map { moment < $0 } ?? true ? .replaced : .retired
                }
            return Key(
                id: row.id, state: state, createdAt: Moment(milliseconds: row.createdAt), activeAt: starts[index],
                tokensUntil: until)
        }.reversed()
    }
}
