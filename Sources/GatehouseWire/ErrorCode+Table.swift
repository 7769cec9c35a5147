extension ErrorCode {
    /// The error table: every code that Gatehouse may answer with. Numbers and names are Gamebase's. Rows may be added; existing rows
    /// are never changed, as a test checks.
    public static let table: [Row] =
        commonRows + networkRows + launchingRows + authenticationRows + transferRows + loginRows + mappingRows
        + leavingRows + serverRows

    // swift-format-ignore
    private static let commonRows: [Row] = [
        Row(
            .notInitialized, "NOT_INITIALIZED", 400, "The SDK has not been started.",
            "Call start first."),
        Row(
            .notLoggedIn, "NOT_LOGGED_IN", 401, "The call needs a login and there is none.",
            "Log the player in."),
        Row(
            .invalidParameter, "INVALID_PARAMETER", 400, "A parameter is missing, malformed or out of range.",
            "Fix the call; the message names the parameter."),
        Row(
            .invalidJSONFormat, "INVALID_JSON_FORMAT", 400, "The body is not well-formed JSON of the documented shape.",
            "Fix the call."),
        Row(
            .userPermission, "USER_PERMISSION", 401, "The caller has no permission: the secret key is missing, wrong or revoked.",
            "Check the secret key of the app."),
        Row(
            .invalidMember, "INVALID_MEMBER", 403, "The member can't be used: withdrawn or frozen.",
            "Log in anew; contact support if it stays."),
        Row(
            .bannedMember, "BANNED_MEMBER", 403, "The member is banned.",
            "Show the ban that is attached to the error."),
        Row(
            .sameRequestor, "SAME_REQUESTOR", 409, "The transfer was issued on this very device.",
            "Redeem it on the new device."),
        Row(
            .notGuestOrHasOthers, "NOT_GUEST_OR_HAS_OTHERS", 409, "The member is not a pure guest.",
            "Offer transfer to pure guests only."),
        Row(
            .notSupported, "NOT_SUPPORTED", 404, "The call does not exist here.",
            "Check the path, the method and the server's version."),
        Row(
            .notSupportedAndroid, "NOT_SUPPORTED_ANDROID", 404, "Not supported on Android.",
            "Do not offer it there."),
        Row(
            .notSupportedIOS, "NOT_SUPPORTED_IOS", 404, "Not supported on iOS.",
            "Do not offer it there."),
        Row(
            .notSupportedUnityEditor, "NOT_SUPPORTED_UNITY_EDITOR", 404, "Not supported in the Unity editor.",
            "Do not offer it there."),
        Row(
            .notSupportedUnityStandalone, "NOT_SUPPORTED_UNITY_STANDALONE", 404, "Not supported in Unity standalone players.",
            "Do not offer it there."),
        Row(
            .notSupportedUnityWebGL, "NOT_SUPPORTED_UNITY_WEBGL", 404, "Not supported in Unity WebGL players.",
            "Do not offer it there."),
        Row(
            .androidActivityDestroyed, "ANDROID_ACTIVITY_DESTROYED", 400, "The Android activity is gone.",
            "Call again from a live activity."),
        Row(
            .androidActiveAppNotCalled, "ANDROID_ACTIVEAPP_NOT_CALLED", 400, "activeApp was not called.",
            "Call it first."),
        Row(
            .iosGameCenterDenied, "IOS_GAMECENTER_DENIED", 403, "Game Center was denied by the player or the system.",
            "Point the player to the settings of Game Center."),
        Row(
            .iosCannotOpenURL, "IOS_CANNOT_OPEN_URL", 400, "The URL can't be opened.",
            "Check the URL schemes of the game."),
    ]

    // swift-format-ignore
    private static let networkRows: [Row] = [
        Row(
            .socketResponseTimeout, "SOCKET_RESPONSE_TIMEOUT", 504, retry: true, "No answer in time.",
            "Offer to try again; nothing is done twice."),
        Row(
            .socketError, "SOCKET_ERROR", 503, retry: true, "No connection to the server.",
            "Offer to try again; nothing is done twice."),
        Row(
            .socketUnknownError, "SOCKET_UNKNOWN_ERROR", 503, retry: true, "An unknown network error.",
            "Offer to try again."),
    ]

    // swift-format-ignore
    private static let launchingRows: [Row] = [
        Row(
            .launchingServerError, "LAUNCHING_SERVER_ERROR", 500, retry: true, "The launching information can't be had.",
            "Try again later."),
        Row(
            .launchingNotExistClientID, "LAUNCHING_NOT_EXIST_CLIENT_ID", 404, "The client id does not exist.",
            "Check the configuration."),
        Row(
            .launchingUnregisteredApp, "LAUNCHING_UNREGISTERED_APP", 404, "No app has this id.",
            "Check the app id in the configuration."),
        Row(
            .launchingUnregisteredClient, "LAUNCHING_UNREGISTERED_CLIENT", 404, "The client version is not registered.",
            "Register the version."),
    ]

    // swift-format-ignore
    private static let authenticationRows: [Row] = [
        Row(
            .authUserCanceled, "AUTH_USER_CANCELED", 400, "The player closed the login.",
            "Show the title screen again."),
        Row(
            .authNotSupportedProvider, "AUTH_NOT_SUPPORTED_PROVIDER", 400, "No adapter is registered for the identity provider.",
            "Register the adapter."),
        Row(
            .authNotExistMember, "AUTH_NOT_EXIST_MEMBER", 404, "The member does not exist or has withdrawn.",
            "Log in anew."),
        Row(
            .authInvalidMember, "AUTH_INVALID_MEMBER", 403, "The member is invalid (SDK 1.x; now 6).",
            "As 6."),
        Row(
            .authBannedMember, "AUTH_BANNED_MEMBER", 403, "The member is banned (SDK 1.x; now 7).",
            "As 7."),
        Row(
            .authExternalLibraryInitializationError, "AUTH_EXTERNAL_LIBRARY_INITIALIZATION_ERROR", 502, "The identity provider's library did not start.",
            "Look at the underlying error: it is the library's."),
        Row(
            .authExternalLibraryError, "AUTH_EXTERNAL_LIBRARY_ERROR", 502, retry: true, "The identity provider's library failed.",
            "Look at the underlying error: it is the library's."),
        Row(
            .authAlreadyInProgress, "AUTH_ALREADY_IN_PROGRESS_ERROR", 409, retry: true, "Another authentication call is under way.",
            "Wait for its end."),
        Row(
            .authInvalidGatehouseToken, "AUTH_INVALID_GAMEBASE_TOKEN", 401, "The access token is malformed, expired, revoked or foreign.",
            "The session is over: log the player in."),
        Row(
            .authAuthenticationServerError, "AUTH_AUTHENTICATION_SERVER_ERROR", 401, retry: true, "The call could not be authenticated: its proof is missing, malformed, stale or used.",
            "The SDK signs a new proof by the server's clock and tries again."),
        Row(
            .authLoginCancelFailed, "AUTH_LOGIN_CANCEL_FAILED", 409, "The login could not be cancelled.",
            "Wait for its end."),
    ]

    // swift-format-ignore
    private static let transferRows: [Row] = [
        Row(
            .authTransferKeyExpired, "AUTH_TRANSFERKEY_EXPIRED", 410, "The transfer key has expired.",
            "Issue a new one on the old device."),
        Row(
            .authTransferKeyConsumed, "AUTH_TRANSFERKEY_CONSUMED", 410, "The transfer key was used.",
            "Issue a new one on the old device."),
        Row(
            .authTransferKeyNotExist, "AUTH_TRANSFERKEY_NOT_EXIST", 404, "The transfer key is unknown.",
            "Ask the player to check it."),
        Row(
            .authTransferAccountExpired, "AUTH_TRANSFERACCOUNT_EXPIRED", 410, "The transfer account has expired.",
            "Renew it on the old device."),
        Row(
            .authTransferAccountBlock, "AUTH_TRANSFERACCOUNT_BLOCK", 403, "Too many wrong attempts: the transfer account is blocked.",
            "Show the end of the block that is attached."),
        Row(
            .authTransferAccountInvalidID, "AUTH_TRANSFERACCOUNT_INVALID_ID", 404, "The transfer account's id is unknown.",
            "Ask the player to check it."),
        Row(
            .authTransferAccountInvalidPassword, "AUTH_TRANSFERACCOUNT_INVALID_PASSWORD", 403, "The transfer account's password is wrong.",
            "Ask the player to check it."),
        Row(
            .authTransferAccountConsoleNoCondition, "AUTH_TRANSFERACCOUNT_CONSOLE_NO_CONDITION", 409, "The app has no transfer policy.",
            "Set one before offering transfer."),
        Row(
            .authTransferAccountNotExist, "AUTH_TRANSFERACCOUNT_NOT_EXIST", 404, "No transfer account was issued.",
            "Issue one."),
        Row(
            .authTransferAccountAlreadyExistID, "AUTH_TRANSFERACCOUNT_ALREADY_EXIST_ID", 409, "The chosen id is in use.",
            "Ask the player for another."),
        Row(
            .authTransferAccountAlreadyUsed, "AUTH_TRANSFERACCOUNT_ALREADY_USED", 410, "The transfer account was used.",
            "Renew it on the old device."),
    ]

    // swift-format-ignore
    private static let loginRows: [Row] = [
        Row(
            .authTokenLoginFailed, "AUTH_TOKEN_LOGIN_FAILED", 403, retry: true, "The login with the last provider failed.",
            "Offer to try again or to log in with a provider."),
        Row(
            .authTokenLoginInvalidTokenInfo, "AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO", 401, "The stored session is over: expired, revoked or unknown.",
            "Show details.message and the ways to log in."),
        Row(
            .authTokenLoginInvalidLastLoggedInIDP, "AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP", 401, "No login is stored on the device.",
            "Show the choice of providers."),
        Row(
            .authIDPLoginFailed, "AUTH_IDP_LOGIN_FAILED", 401, "The identity provider refused the credential, or a player is logged in already.",
            "Show the choice of providers; details.reason has the cause. If a player is logged in, log out first."),
        Row(
            .authIDPLoginInvalidIDPInfo, "AUTH_IDP_LOGIN_INVALID_IDP_INFO", 400, "The identity provider is not configured, or the credential lacks a part.",
            "Check the app's identity providers and the credential."),
        Row(
            .authIDPLoginExternalAuthenticationRequired, "AUTH_IDP_LOGIN_EXTERNAL_AUTHENTICATION_REQUIRED", 403, "The identity provider needs a login outside the game first.",
            "Tell the player where to log in."),
        Row(
            .authIDPLoginSupportedBrowserNotFound, "AUTH_IDP_LOGIN_SUPPORTED_BROWSER_NOT_FOUND", 400, "No browser for the login was found.",
            "Ask the player to install one."),
        Row(
            .authIDPLoginInvalidRequest, "AUTH_IDP_LOGIN_INVALID_REQUEST", 400, "The login page's request is not valid.",
            "Start the login again."),
        Row(
            .authIDPLoginUserFailed, "AUTH_IDP_LOGIN_USER_FAILED", 401, "The player could not log in on the page.",
            "Start the login again."),
    ]

    // swift-format-ignore
    private static let mappingRows: [Row] = [
        Row(
            .authAddMappingFailed, "AUTH_ADD_MAPPING_FAILED", 401, "The identity provider refused the credential.",
            "Let the player try again; details.reason has the cause."),
        Row(
            .authAddMappingAlreadyMappedToOtherMember, "AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER", 409, "The identity belongs to another member.",
            "Let the player choose, with the ticket that is attached."),
        Row(
            .authAddMappingAlreadyHasSameIDP, "AUTH_ADD_MAPPING_ALREADY_HAS_SAME_IDP", 409, "The member has an identity of this provider.",
            "Remove it first."),
        Row(
            .authAddMappingInvalidIDPInfo, "AUTH_ADD_MAPPING_INVALID_IDP_INFO", 400, "The identity provider is not configured, or the credential lacks a part.",
            "Check the app's identity providers and the credential."),
        Row(
            .authAddMappingCannotAddGuestIDP, "AUTH_ADD_MAPPING_CANNOT_ADD_GUEST_IDP", 400, "Guest can't be mapped.",
            "Do not offer it."),
        Row(
            .authAddMappingForciblyNotExistKey, "AUTH_ADD_MAPPING_FORCIBLY_NOT_EXIST_KEY", 404, "The forcing-mapping ticket is unknown.",
            "Map again to get a ticket."),
        Row(
            .authAddMappingForciblyAlreadyUsedKey, "AUTH_ADD_MAPPING_FORCIBLY_ALREADY_USED_KEY", 410, "The forcing-mapping ticket was used.",
            "Map again to get a ticket."),
        Row(
            .authAddMappingForciblyExpiredKey, "AUTH_ADD_MAPPING_FORCIBLY_EXPIRED_KEY", 410, "The forcing-mapping ticket has expired.",
            "Map again to get a ticket."),
        Row(
            .authAddMappingForciblyDifferentIDP, "AUTH_ADD_MAPPING_FORCIBLY_DIFFERENT_IDP", 409, "The ticket is for another identity provider.",
            "Use the ticket of the failed mapping."),
        Row(
            .authAddMappingForciblyDifferentAuthKey, "AUTH_ADD_MAPPING_FORCIBLY_DIFFERENT_AUTHKEY", 409, "The ticket is for another account.",
            "Use the ticket of the failed mapping."),
        Row(
            .authRemoveMappingFailed, "AUTH_REMOVE_MAPPING_FAILED", 409, "The identity could not be unlinked, or the account has none of this provider.",
            "Read the list of identities again."),
        Row(
            .authRemoveMappingLastMappedIDP, "AUTH_REMOVE_MAPPING_LAST_MAPPED_IDP", 409, "The last identity can't be unlinked.",
            "Delete the account instead, or link another identity first."),
        Row(
            .authRemoveMappingLoggedInIDP, "AUTH_REMOVE_MAPPING_LOGGED_IN_IDP", 409, "The identity with which the player is logged in can't be unlinked.",
            "Log in with another first."),
    ]

    // swift-format-ignore
    private static let leavingRows: [Row] = [
        Row(
            .authLogoutFailed, "AUTH_LOGOUT_FAILED", 500, retry: true, "The device's session could not be cleared.",
            "Try again."),
        Row(
            .authWithdrawFailed, "AUTH_WITHDRAW_FAILED", 500, retry: true, "The deletion of the account failed; nothing changed.",
            "Try again."),
        Row(
            .authWithdrawAlreadyTemporaryWithdraw, "AUTH_WITHDRAW_ALREADY_TEMPORARY_WITHDRAW", 409, "A deletion of the account is pending already.",
            "Offer to cancel it."),
        Row(
            .authWithdrawNotTemporaryWithdraw, "AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW", 409, "No deletion of the account is pending.",
            "Refresh the member."),
        Row(
            .authNotPlayable, "AUTH_NOT_PLAYABLE", 503, retry: true, "The app is not in service.",
            "Show the status and the maintenance message."),
        Row(
            .authUnknownError, "AUTH_UNKNOWN_ERROR", 500, retry: true, "An unforeseen authentication error.",
            "Try again later."),
    ]

    // swift-format-ignore
    private static let serverRows: [Row] = [
        Row(
            .serverInternalError, "SERVER_INTERNAL_ERROR", 500, retry: true, "The server could not do it: a fault, too much load, or too many calls.",
            "Try again later; Retry-After tells when."),
        Row(
            .serverRemoteSystemError, "SERVER_REMOTE_SYSTEM_ERROR", 502, retry: true, "A system that the server needs did not answer.",
            "Try again later."),
        Row(
            .serverInvalidResponse, "SERVER_INVALID_RESPONSE", 502, retry: true, "The answer can't be understood.",
            "Check the server's address and version."),
        Row(
            .serverUnknownError, "SERVER_UNKNOWN_ERROR", 500, retry: true, "An unknown server error.",
            "Try again later."),
        Row(
            .unknownError, "UNKNOWN_ERROR", 500, retry: true, "An unknown error.",
            "Try again later."),
    ]
}

extension ErrorCode.Row {
    fileprivate init(
        _ code: ErrorCode, _ name: String, _ httpStatus: Int, retry mayRetry: Bool = false, _ meaning: String,
        _ advice: String
    ) {
        self.code = code
        self.name = name
        self.httpStatus = httpStatus
        self.mayRetry = mayRetry
        self.meaning = meaning
        self.advice = advice
    }
}
