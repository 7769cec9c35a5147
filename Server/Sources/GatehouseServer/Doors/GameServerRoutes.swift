import GatehouseCore
import GatehouseServerWire
import GatehouseWire
import Hummingbird

extension ContractDoor {
    /// Every call of game servers, in one line each.
    func addGameServerRoutes(to group: RouterGroup<GatehouseContext>) {
        on(Endpoints.checkToken, in: group) { CheckToken(request: $0) }
        on(Endpoints.revocations, in: group) { ListRevocations(request: $0) }
        on(Endpoints.providerProfile, in: group) { ReadProviderProfile(request: $0) }
        on(Endpoints.confirmMigration, in: group, named: { _ in ("migrations", nil) }) { ConfirmMigration(request: $0) }
        on(Endpoints.lookUpMigrations, in: group) { LookUpMigrations(request: $0) }
        on(Endpoints.memberSessions, in: group) { ListMemberSessions(request: $0) }
        on(Endpoints.ban, in: group, named: { ($0.registeredBy, $0.reason) }) { BanMembers(request: $0) }
        on(Endpoints.releaseBan, in: group, named: { ($0.registeredBy, $0.reason) }) { ReleaseBans(users: $0.userIds) }
        on(Endpoints.registerGraceBan, in: group, named: { ($0.registeredBy, nil) }) { RegisterGraceBan(request: $0) }
        on(Endpoints.releaseGraceBan, in: group, named: { ($0.registeredBy, $0.reason) }) {
            ReleaseGraceBan(user: $0.userId)
        }
        on(Endpoints.reportPayment, in: group, named: { _ in ("payments", nil) }) { ReportPayment(report: $0) }
        on(Endpoints.kickOut, in: group, named: { ($0.registeredBy, nil) }) {
            KickOut(user: $0.userId, message: $0.message)
        }
        on(Endpoints.endMemberSession, in: group, named: { ($0.registeredBy, nil) }) {
            EndMemberSession(session: $0.sessionId, of: $0.userId)
        }
    }
}
