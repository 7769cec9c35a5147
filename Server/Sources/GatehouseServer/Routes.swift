import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Hummingbird

extension HTTPAPI {
    /// Every call of the HTTP API, in one line each.
    func addRoutes(_ features: Features, to router: Router<GatehouseContext>) {
        on(Endpoints.launching, router, features.launching.launching)
        on(Endpoints.keys, router, features.keys.keys)
        on(Endpoints.logIn, router, mayWait: { $0.provider != .guest }, features.login.logIn)
        on(Endpoints.logInWithLastProvider, router, features.login.logInWithLastProvider)
        on(Endpoints.beginLogin, router, mayWait: { _ in true }, features.loginAttempt.begin)
        on(Endpoints.refreshSession, router, features.session.refresh)
        on(Endpoints.logOut, router, features.session.logOut)
        on(Endpoints.heartbeat, router, features.session.heartbeat)
        on(Endpoints.member, router, features.member.member)
        on(Endpoints.ownProfile, router, features.identityTokens.ownProfile)
        on(Endpoints.addMapping, router, mayWait: { _ in true }, features.mapping.add)
        on(Endpoints.forceMapping, router, features.mapping.force)
        on(Endpoints.removeMapping, router, features.mapping.remove)
        on(Endpoints.changeLogin, router, features.login.changeLogin)
        on(Endpoints.issueTransferAccount, router, features.transfer.issue)
        on(Endpoints.queryTransferAccount, router, features.transfer.query)
        on(Endpoints.renewTransferAccount, router, features.transfer.renew)
        on(Endpoints.redeemTransferAccount, router, features.transfer.redeem)
        on(Endpoints.issueTransferKey, router, features.transfer.issueKey)
        on(Endpoints.redeemTransferKey, router, features.transfer.redeemKey)
        on(Endpoints.withdraw, router, features.withdrawal.withdraw)
        on(Endpoints.requestWithdrawal, router, features.withdrawal.request)
        on(Endpoints.cancelWithdrawal, router, features.withdrawal.cancel)
        on(Endpoints.providerProfile, router, features.identityTokens.profile)
        on(Endpoints.ban, router, features.ban.ban)
        on(Endpoints.releaseBan, router, features.ban.release)
        on(Endpoints.registerGraceBan, router, features.ban.registerGraceBan)
        on(Endpoints.releaseGraceBan, router, features.ban.releaseGraceBan)
        on(Endpoints.reportPayment, router, features.ban.pay)
        on(Endpoints.kickOut, router, features.ban.kickOut)
        on(Endpoints.checkToken, router, features.tokenCheck.check)
        on(Endpoints.revocations, router, features.revocations.list)
    }
}

/// The routes of every feature.
struct Features: Sendable {
    let launching: LaunchingRoutes
    let keys: KeyRoutes
    let login: LoginRoutes
    let loginAttempt: LoginAttemptRoutes
    let session: SessionRoutes
    let member: MemberRoutes
    let mapping: MappingRoutes
    let transfer: TransferRoutes
    let withdrawal: WithdrawalRoutes
    let identityTokens: IdentityTokenRoutes
    let ban: BanRoutes
    let tokenCheck: TokenCheckRoutes
    let revocations: RevocationRoutes
    let lookup: MemberLookup
    let banHistory: BanHistory
    let withdrawalHistory: WithdrawalHistory
    let signal: SignalRoute
}
