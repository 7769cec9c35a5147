import GatehouseStorage
import GatehouseWire

/// The caller's own member.
struct MemberRoutes: Sendable {
    let database: Database

    func member(_ call: Call<Empty>) async throws -> Answer<Member> {
        let claims = try call.caller.requireClaims()
        return Answer(try await SessionRules.live(claims, call.view, in: database).member)
    }
}
