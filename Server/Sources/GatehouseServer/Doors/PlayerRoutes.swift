import GatehouseCore
import GatehouseWire
import Hummingbird

extension ContractDoor {
    /// Every call of players, in one line each.
    func addPlayerRoutes(to group: RouterGroup<GatehouseContext>) {
        on(Endpoints.launching, in: group) { _ in ReadLaunchingInformation() }
        on(Endpoints.keys, in: group, cacheControl: "public, max-age=\(ReadKeys.cacheSeconds)") { _ in ReadKeys() }
        on(Endpoints.logIn, in: group, mayWait: { $0.provider != .guest }) { LogIn(credential: $0) }
        on(Endpoints.logInWithLastProvider, in: group) { _ in LogInWithLastProvider() }
        on(Endpoints.beginLogin, in: group, mayWait: { _ in true }) { BeginLogin(request: $0) }
        on(Endpoints.migrate, in: group, mayWait: { _ in true }) { MigratePlayer(request: $0) }
        on(Endpoints.migrationTicket, in: group) { _ in IssueMigrationTicket() }
        on(Endpoints.changeLogin, in: group) { ChangeLogin(ticket: $0) }
        on(Endpoints.refreshSession, in: group) { _ in RefreshSession() }
        on(Endpoints.logOut, in: group) { _ in LogOut() }
        on(Endpoints.sessions, in: group) { _ in ListOwnSessions() }
        on(Endpoints.endSession, in: group) { EndOwnSession(session: $0.sessionId) }
        on(Endpoints.endOtherSessions, in: group) { _ in EndOtherSessions() }
        on(Endpoints.heartbeat, in: group) { _ in SendHeartbeat() }
        on(Endpoints.member, in: group) { _ in ReadOwnMember() }
        on(Endpoints.ownProfile, in: group) { ReadOwnProfile(request: $0) }
        on(Endpoints.addMapping, in: group, mayWait: { _ in true }) { AddMapping(credential: $0) }
        on(Endpoints.forceMapping, in: group) { ForceMapping(ticket: $0) }
        on(Endpoints.removeMapping, in: group) { RemoveMapping(removal: $0) }
        on(Endpoints.issueTransferAccount, in: group) { _ in IssueTransferAccount() }
        on(Endpoints.queryTransferAccount, in: group) { _ in QueryTransferAccount() }
        on(Endpoints.renewTransferAccount, in: group) { RenewTransferAccount(renewal: $0) }
        on(Endpoints.redeemTransferAccount, in: group) { RedeemTransferAccount(redemption: $0) }
        on(Endpoints.issueTransferKey, in: group) { IssueTransferKey(request: $0) }
        on(Endpoints.redeemTransferKey, in: group) { RedeemTransferKey(redemption: $0) }
        on(Endpoints.withdraw, in: group) { _ in Withdraw() }
        on(Endpoints.requestWithdrawal, in: group) { _ in RequestWithdrawal() }
        on(Endpoints.cancelWithdrawal, in: group) { _ in CancelWithdrawal() }
    }
}
