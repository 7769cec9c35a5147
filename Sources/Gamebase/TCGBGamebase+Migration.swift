import Gatehouse
import GatehouseWire

// What NHN's Gamebase has no name for: its players come to this server (docs/gamebase-migration.md).
extension TCGBGamebase {
    /// The name that a source of players has in `docs/gamebase-migration.md`.
    private static let usualSource = "gamebase"

    /// Logs the player in with the access token that NHN's Gamebase has given, and brings the player's account to this device.
    ///
    /// On the server, the key of this device becomes the identity of a player who was a guest there; a player with an identity provider
    /// gets a session under it. It happens once for each player: afterwards
    /// ``loginForLastLoggedInProvider(viewController:completion:)`` and logins as usual bring the same account. A token belongs to the
    /// first device that sends it. The source's name is `gamebase`, and a guest on this device stays.
    ///
    /// It completes with 1 before ``initialize(configuration:completion:)``; 3010 while another call is under way; 3201 when a player is
    /// logged in already, when the token does not count (NHN's ends 15 days after the last login), and for what
    /// ``TCGBMigrationFailInfo`` says; 3 for a source that the app does not have; 3202 when the source's settings are wrong; 6 for a player
    /// who has withdrawn; 7 with the ban; 3701 while the game is not in service; 8002 while NHN's server does not answer; 101, 110, 8001.
    ///
    /// - Parameter userId: what `TCGBGamebase.userID()` of NHN's library has returned.
    /// - Parameter accessToken: what `TCGBGamebase.accessToken()` of NHN's library has returned.
    /// - Parameter completion: receives the login.
    public static func migrate(userId: String, accessToken: String, completion: LoginCompletion?) {
        migrate(
            userId: userId, accessToken: accessToken, source: usualSource, replacingGuest: false, completion: completion
        )
    }

    /// The same as ``migrate(userId:accessToken:completion:)``, from a source of any name.
    ///
    /// - Parameter userId: what `TCGBGamebase.userID()` of NHN's library has returned.
    /// - Parameter accessToken: what `TCGBGamebase.accessToken()` of NHN's library has returned.
    /// - Parameter source: the name that the operator has given to the app at NHN (`gatehouse import source set`).
    /// - Parameter replacingGuest: whether a guest of at most 30 days on this device may go. An operator can restore it for a limited
    ///   time.
    /// - Parameter completion: receives the login.
    public static func migrate(
        userId: String, accessToken: String, source: String, replacingGuest: Bool, completion: LoginCompletion?
    ) {
        migrate(
            LegacyCredential(kind: .accessToken, value: ProviderToken(accessToken), id: userId), source, replacingGuest,
            completion)
    }

    /// Logs the player in with a transfer account of NHN's Gamebase, which was issued before the move, and brings the player's account to
    /// this device.
    ///
    /// It does the same as ``migrate(userId:accessToken:completion:)`` and completes with the same codes: 3201 for a wrong id or password,
    /// too. A transfer account that was issued here is ``transferAccountWithIdPLogin(accountId:accountPassword:completion:)``.
    ///
    /// - Parameter accountId: the id that the player has typed.
    /// - Parameter accountPassword: the password that the player has typed.
    /// - Parameter completion: receives the login.
    public static func migrate(accountId: String, accountPassword: String, completion: LoginCompletion?) {
        migrate(
            accountId: accountId, accountPassword: accountPassword, source: usualSource, replacingGuest: false,
            completion: completion)
    }

    /// The same as ``migrate(accountId:accountPassword:completion:)``, from a source of any name.
    ///
    /// - Parameter accountId: the id that the player has typed.
    /// - Parameter accountPassword: the password that the player has typed.
    /// - Parameter source: the name that the operator has given to the app at NHN (`gatehouse import source set`).
    /// - Parameter replacingGuest: whether a guest of at most 30 days on this device may go. An operator can restore it for a limited
    ///   time.
    /// - Parameter completion: receives the login.
    public static func migrate(
        accountId: String, accountPassword: String, source: String, replacingGuest: Bool, completion: LoginCompletion?
    ) {
        migrate(
            LegacyCredential(kind: .transferAccount, value: ProviderToken(accountPassword), id: accountId), source,
            replacingGuest, completion)
    }

    private static func migrate(
        _ credential: LegacyCredential, _ source: String, _ replacesGuest: Bool, _ completion: LoginCompletion?
    ) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            TCGBAuthToken(
                try await gatehouse.migrate(from: source, credential: credential, replacingGuest: replacesGuest))
        }
    }
}
