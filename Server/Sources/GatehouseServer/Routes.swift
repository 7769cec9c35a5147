import GatehouseStorage
import GatehouseWire
import Hummingbird

extension HTTPAPI {
    /// Every call of the HTTP API, a line each.
    func addRoutes(_ features: Features, to router: Router<GatehouseContext>) {
        on(Endpoints.launching, router, features.launching.launching)
        on(Endpoints.keys, router, features.keys.keys)
        on(Endpoints.logIn, router, features.login.logIn)
        on(Endpoints.logInWithLastProvider, router, features.login.logInWithLastProvider)
        on(Endpoints.refreshSession, router, features.session.refresh)
        on(Endpoints.logOut, router, features.session.logOut)
        on(Endpoints.heartbeat, router, features.session.heartbeat)
        on(Endpoints.member, router, features.member.member)
        on(Endpoints.checkToken, router, features.tokenCheck.check)
    }
}

/// The routes of every feature.
struct Features: Sendable {
    let launching: LaunchingRoutes
    let keys: KeyRoutes
    let login: LoginRoutes
    let session: SessionRoutes
    let member: MemberRoutes
    let tokenCheck: TokenCheckRoutes
}
