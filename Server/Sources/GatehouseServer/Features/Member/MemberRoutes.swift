import GatehouseStorage
import GatehouseWire

/// Who am I.
struct MemberRoutes: Sendable {
    let database: Database

    func member(_ call: Call<Empty>) async throws -> Answer<Member> {
        let claims = try call.caller.requireClaims()
        return Answer(
            try await database.read { tx in
                try SessionRules.requireLive(claims, at: call.moment, in: tx)
                return try MemberRules.member(claims.user, app: claims.app, in: tx)
            })
    }
}
