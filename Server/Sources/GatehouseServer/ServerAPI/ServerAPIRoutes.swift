import Hummingbird

extension ServerAPI {
    /// Every call of Gamebase's Server API that is about accounts, a line each, in the order of Gamebase's documents.
    func addRoutes(to router: Router<GatehouseContext>) {
        let gateway = "/tcgb-gateway/{version}/apps/{appId}"
        let member = "/tcgb-member/{version}/apps/{appId}"
        let launching = "/tcgb-launching/{version}/apps/{appId}"
        let every = ServerAPIVersion.every
        let newest = ServerAPIVersion.newest

        on(.get, gateway + "/members/{userId}/tokens/{accessToken}", in: every, router, authenticate)
        on(.get, gateway + "/members/{userId}/idps/{idPCode}", in: newest, router, providerProfile)
        on(.get, member + "/members/{userId}", in: every, router, self.member)
        on(.post, member + "/members", in: every, router, members)
        on(.post, member + "/auth/authKeys", in: every, router, authKeys)
        on(.post, member + "/members/userIds/authKeys", in: every, router, usersByAuthKey)
        on(.post, gateway + "/idps/{idPCode}/members", in: newest, router, usersByIdPID)
        on(.post, gateway + "/members/ban", in: newest, router, ban)
        on(.get, member + "/members/bans", in: every, router, bans)
        on(.get, member + "/members/bans/current", in: newest, router, currentBans)
        on(.delete, gateway + "/members/ban", in: newest, router, releaseBan)
        on(.get, member + "/members/bans/release", in: every, router, releases)
        on(.post, gateway + "/members/transfer-account", in: [.v112, .v13], router, validateTransferAccount)
        on(.delete, gateway + "/members/{userId}", in: newest, router, withdraw)
        on(.get, member + "/logs/withdrawal", in: newest, router, withdrawals)
        on(.post, gateway + "/webhooks/apple/notifications", in: newest, router, access: .open, appleNotification)
        on(.get, launching + "/launching/simple", in: every, router, simpleLaunching)
        on(.get, launching + "/maintenances/under-maintenance", in: every, router, maintenance)
        addHealth(to: router)
    }
}
