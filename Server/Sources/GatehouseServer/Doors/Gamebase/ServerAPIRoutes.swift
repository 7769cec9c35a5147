import Hummingbird

extension ServerAPI {
    /// Every call of ``ServerAPIEndpoint/all``, in one line each.
    func addRoutes(to router: Router<GatehouseContext>) {
        on(.authenticate, router, authenticate)
        on(.providerProfile, router, providerProfile)
        on(.member, router, self.member)
        on(.membersByID, router, members)
        on(.authKeys, router, authKeys)
        on(.usersByAuthKey, router, usersByAuthKey)
        on(.usersByIdPID, router, usersByIdPID)
        on(.ban, router, ban)
        on(.bans, router, bans)
        on(.currentBans, router, currentBans)
        on(.releaseBan, router, releaseBan)
        on(.releases, router, releases)
        on(.validateTransferAccount, router, validateTransferAccount)
        on(.withdraw, router, withdraw)
        on(.withdrawals, router, withdrawals)
        on(.appleNotification, router, appleNotification)
        on(.simpleLaunching, router, simpleLaunching)
        on(.maintenance, router, maintenance)
        addHealth(to: router)
    }
}
