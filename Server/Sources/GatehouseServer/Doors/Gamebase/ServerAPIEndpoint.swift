import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Hummingbird

/// A call of Gamebase's Server API without its implementation, for the router and for lists of the calls.
struct ServerAPIEndpoint: Sendable {
    /// The required authentication.
    enum Access: Sendable, Hashable {
        /// A secret key of the app with this scope.
        case secretKey(SecretKeyScope)
        /// None: for the ping, and for Apple's reports.
        case open
    }

    let method: HTTPRequest.Method
    let template: String
    /// In all other versions the call doesn't exist, as in Gamebase's documents.
    let versions: Set<ServerAPIVersion>
    let access: Access

    private init(
        _ method: HTTPRequest.Method, _ template: String, in versions: Set<ServerAPIVersion> = ServerAPIVersion.newest,
        _ access: Access
    ) {
        self.method = method
        self.template = template
        self.versions = versions
        self.access = access
    }

    private static let gateway = "/tcgb-gateway/{version}/apps/{appId}"
    private static let members = "/tcgb-member/{version}/apps/{appId}"
    private static let launching = "/tcgb-launching/{version}/apps/{appId}"
    private static let every = ServerAPIVersion.every

    static let authenticate = Self(
        .get, gateway + "/members/{userId}/tokens/{accessToken}", in: every, .secretKey(.check))
    static let providerProfile = Self(.get, gateway + "/members/{userId}/idps/{idPCode}", .secretKey(.profile))
    static let member = Self(.get, members + "/members/{userId}", in: every, .secretKey(.profile))
    static let membersByID = Self(.post, members + "/members", in: every, .secretKey(.profile))
    static let authKeys = Self(.post, members + "/auth/authKeys", in: every, .secretKey(.profile))
    static let usersByAuthKey = Self(.post, members + "/members/userIds/authKeys", in: every, .secretKey(.profile))
    static let usersByIdPID = Self(.post, gateway + "/idps/{idPCode}/members", .secretKey(.profile))
    static let ban = Self(.post, gateway + "/members/ban", .secretKey(.moderate))
    static let bans = Self(.get, members + "/members/bans", in: every, .secretKey(.moderate))
    static let currentBans = Self(.get, members + "/members/bans/current", .secretKey(.moderate))
    static let releaseBan = Self(.delete, gateway + "/members/ban", .secretKey(.moderate))
    static let releases = Self(.get, members + "/members/bans/release", in: every, .secretKey(.moderate))
    static let validateTransferAccount = Self(
        .post, gateway + "/members/transfer-account", in: [.v112, .v13], .secretKey(.check))
    static let withdraw = Self(.delete, gateway + "/members/{userId}", .secretKey(.erase))
    static let withdrawals = Self(.get, members + "/logs/withdrawal", .secretKey(.erase))
    static let appleNotification = Self(.post, gateway + "/webhooks/apple/notifications", .open)
    static let simpleLaunching = Self(.get, launching + "/launching/simple", in: every, .secretKey(.check))
    static let maintenance = Self(
        .get, launching + "/maintenances/under-maintenance", in: every, .secretKey(.check))
    /// It also answers versions that don't exist, because clients send the version of their SDK.
    static let health = Self(.get, gateway + "/health", in: every, .open)

    /// Every call about accounts, in the order of Gamebase's documents.
    static let all: [ServerAPIEndpoint] = [
        authenticate, providerProfile, member, membersByID, authKeys, usersByAuthKey, usersByIdPID, ban, bans,
        currentBans, releaseBan, releases, validateTransferAccount, withdraw, withdrawals, appleNotification,
        simpleLaunching, maintenance, health,
    ]
}

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
