import GatehouseWire
import Hummingbird

extension ContractDoor {
    /// Every call of game servers, in one line each.
    func addGameServerRoutes(to group: RouterGroup<GatehouseContext>) {
        on(GameServerEndpoints.checkToken, in: group) { CheckToken(request: $0) }
        on(GameServerEndpoints.revocations, in: group) { ListRevocations(request: $0) }
        on(GameServerEndpoints.providerProfile, in: group) { ReadProviderProfile(request: $0) }
        on(GameServerEndpoints.ban, in: group, named: { ($0.registeredBy, $0.reason) }) { BanMembers(request: $0) }
        on(GameServerEndpoints.releaseBan, in: group, named: { ($0.registeredBy, $0.reason) }) { ReleaseBans(users: $0.userIds) }
        on(GameServerEndpoints.registerGraceBan, in: group, named: { ($0.registeredBy, nil) }) { RegisterGraceBan(request: $0) }
        on(GameServerEndpoints.releaseGraceBan, in: group, named: { ($0.registeredBy, $0.reason) }) {
            ReleaseGraceBan(user: $0.userId)
        }
        on(GameServerEndpoints.reportPayment, in: group, named: { _ in ("payments", nil) }) { ReportPayment(report: $0) }
        on(GameServerEndpoints.kickOut, in: group, named: { ($0.registeredBy, nil) }) {
            KickOut(user: $0.userId, message: $0.message)
        }
    }
}
