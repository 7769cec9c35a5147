/// A code of the error table (``ErrorCode/table``). An open set: a code of a newer server is preserved.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The value on the wire.
    public let rawValue: Int
    /// Wraps a value of the wire.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The table's row, or `nil` for a code that this version does not know.
    public var row: Row? { Self.rows[rawValue] }
    /// The name without its `TCGB_ERROR_` prefix, or the number.
    public var name: String { row?.name ?? String(rawValue) }

    /// The table's entry for one code. HTTP answers, SDK errors, the compatibility layer and `docs/errors.md` are derived from it.
    public struct Row: Sendable, Hashable {
        /// The code.
        public let code: ErrorCode
        /// The name without its `TCGB_ERROR_` prefix.
        public let name: String
        /// The status of an HTTP answer with this code, unless the protocol requires another (405, 413, 415, 429 ...).
        public let httpStatus: Int
        /// Whether the same call may succeed later without a change.
        public let mayRetry: Bool
        /// What happened, in a sentence for developers.
        public let meaning: String
        /// What the game should do.
        public let advice: String
    }

    private static let rows = Dictionary(uniqueKeysWithValues: table.map { ($0.code.rawValue, $0) })

    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(Int.self))
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension ErrorCode {
    /// 1: The SDK has not been started.
    public static let notInitialized = ErrorCode(rawValue: 1)
    /// 2: The call needs a login and there is none.
    public static let notLoggedIn = ErrorCode(rawValue: 2)
    /// 3: A parameter is missing, malformed or out of range.
    public static let invalidParameter = ErrorCode(rawValue: 3)
    /// 4: The body is not well-formed JSON of the documented shape.
    public static let invalidJSONFormat = ErrorCode(rawValue: 4)
    /// 5: The caller has no permission: the secret key is missing, wrong or revoked.
    public static let userPermission = ErrorCode(rawValue: 5)
    /// 6: The member can't be used: withdrawn or frozen.
    public static let invalidMember = ErrorCode(rawValue: 6)
    /// 7: The member is banned.
    public static let bannedMember = ErrorCode(rawValue: 7)
    /// 8: The transfer was issued on this very device.
    public static let sameRequestor = ErrorCode(rawValue: 8)
    /// 9: The member is not a pure guest.
    public static let notGuestOrHasOthers = ErrorCode(rawValue: 9)
    /// 10: The call does not exist here.
    public static let notSupported = ErrorCode(rawValue: 10)
    /// 11: Not supported on Android.
    public static let notSupportedAndroid = ErrorCode(rawValue: 11)
    /// 12: Not supported on iOS.
    public static let notSupportedIOS = ErrorCode(rawValue: 12)
    /// 13: Not supported in the Unity editor.
    public static let notSupportedUnityEditor = ErrorCode(rawValue: 13)
    /// 14: Not supported in Unity standalone players.
    public static let notSupportedUnityStandalone = ErrorCode(rawValue: 14)
    /// 15: Not supported in Unity WebGL players.
    public static let notSupportedUnityWebGL = ErrorCode(rawValue: 15)
    /// 31: The Android activity is gone.
    public static let androidActivityDestroyed = ErrorCode(rawValue: 31)
    /// 32: activeApp was not called.
    public static let androidActiveAppNotCalled = ErrorCode(rawValue: 32)
    /// 51: Game Center was denied by the player or the system.
    public static let iosGameCenterDenied = ErrorCode(rawValue: 51)
    /// 52: The URL can't be opened.
    public static let iosCannotOpenURL = ErrorCode(rawValue: 52)
    /// 101
    public static let socketResponseTimeout = ErrorCode(rawValue: 101)
    /// 110
    public static let socketError = ErrorCode(rawValue: 110)
    /// 999
    public static let socketUnknownError = ErrorCode(rawValue: 999)
    /// 2001
    public static let launchingServerError = ErrorCode(rawValue: 2001)
    /// 2002: The client id does not exist.
    public static let launchingNotExistClientID = ErrorCode(rawValue: 2002)
    /// 2003: No app has this id.
    public static let launchingUnregisteredApp = ErrorCode(rawValue: 2003)
    /// 2004: The client version is not registered.
    public static let launchingUnregisteredClient = ErrorCode(rawValue: 2004)
    /// 3001: The player closed the login.
    public static let authUserCanceled = ErrorCode(rawValue: 3001)
    /// 3002: No adapter is registered for the identity provider.
    public static let authNotSupportedProvider = ErrorCode(rawValue: 3002)
    /// 3003: The member does not exist or has withdrawn.
    public static let authNotExistMember = ErrorCode(rawValue: 3003)
    /// 3004: The member is invalid (SDK 1.x; now 6).
    public static let authInvalidMember = ErrorCode(rawValue: 3004)
    /// 3005: The member is banned (SDK 1.x; now 7).
    public static let authBannedMember = ErrorCode(rawValue: 3005)
    /// 3006: The identity provider's library did not start.
    public static let authExternalLibraryInitializationError = ErrorCode(rawValue: 3006)
    /// 3009
    public static let authExternalLibraryError = ErrorCode(rawValue: 3009)
    /// 3010
    public static let authAlreadyInProgress = ErrorCode(rawValue: 3010)
    /// 3011: The access token is malformed, expired, revoked or foreign.
    public static let authInvalidGatehouseToken = ErrorCode(rawValue: 3011)
    /// 3012
    public static let authAuthenticationServerError = ErrorCode(rawValue: 3012)
    /// 3013: The login could not be cancelled.
    public static let authLoginCancelFailed = ErrorCode(rawValue: 3013)
    /// 3031: The transfer key has expired.
    public static let authTransferKeyExpired = ErrorCode(rawValue: 3031)
    /// 3032: The transfer key was used.
    public static let authTransferKeyConsumed = ErrorCode(rawValue: 3032)
    /// 3033: The transfer key is unknown.
    public static let authTransferKeyNotExist = ErrorCode(rawValue: 3033)
    /// 3041: The transfer account has expired.
    public static let authTransferAccountExpired = ErrorCode(rawValue: 3041)
    /// 3042: Too many wrong attempts: the transfer account is blocked.
    public static let authTransferAccountBlock = ErrorCode(rawValue: 3042)
    /// 3043: The transfer account's id is unknown.
    public static let authTransferAccountInvalidID = ErrorCode(rawValue: 3043)
    /// 3044: The transfer account's password is wrong.
    public static let authTransferAccountInvalidPassword = ErrorCode(rawValue: 3044)
    /// 3045: The app has no transfer policy.
    public static let authTransferAccountConsoleNoCondition = ErrorCode(rawValue: 3045)
    /// 3046: No transfer account was issued.
    public static let authTransferAccountNotExist = ErrorCode(rawValue: 3046)
    /// 3047: The chosen id is in use.
    public static let authTransferAccountAlreadyExistID = ErrorCode(rawValue: 3047)
    /// 3048: The transfer account was used.
    public static let authTransferAccountAlreadyUsed = ErrorCode(rawValue: 3048)
    /// 3101
    public static let authTokenLoginFailed = ErrorCode(rawValue: 3101)
    /// 3102: The stored session is over: expired, revoked or unknown.
    public static let authTokenLoginInvalidTokenInfo = ErrorCode(rawValue: 3102)
    /// 3103: No login is stored on the device.
    public static let authTokenLoginInvalidLastLoggedInIDP = ErrorCode(rawValue: 3103)
    /// 3201: The identity provider refused the credential, or a player is logged in already.
    public static let authIDPLoginFailed = ErrorCode(rawValue: 3201)
    /// 3202: The identity provider is not configured, or the credential lacks a part.
    public static let authIDPLoginInvalidIDPInfo = ErrorCode(rawValue: 3202)
    /// 3203: The identity provider needs a login outside the game first.
    public static let authIDPLoginExternalAuthenticationRequired = ErrorCode(rawValue: 3203)
    /// 3204: No browser for the login was found.
    public static let authIDPLoginSupportedBrowserNotFound = ErrorCode(rawValue: 3204)
    /// 3205: The login page's request is not valid.
    public static let authIDPLoginInvalidRequest = ErrorCode(rawValue: 3205)
    /// 3206: The player could not log in on the page.
    public static let authIDPLoginUserFailed = ErrorCode(rawValue: 3206)
    /// 3301: The identity provider refused the credential.
    public static let authAddMappingFailed = ErrorCode(rawValue: 3301)
    /// 3302: The identity belongs to another member.
    public static let authAddMappingAlreadyMappedToOtherMember = ErrorCode(rawValue: 3302)
    /// 3303: The member has an identity of this provider.
    public static let authAddMappingAlreadyHasSameIDP = ErrorCode(rawValue: 3303)
    /// 3304: The identity provider is not configured, or the credential lacks a part.
    public static let authAddMappingInvalidIDPInfo = ErrorCode(rawValue: 3304)
    /// 3305: Guest can't be mapped.
    public static let authAddMappingCannotAddGuestIDP = ErrorCode(rawValue: 3305)
    /// 3311: The forcing-mapping ticket is unknown.
    public static let authAddMappingForciblyNotExistKey = ErrorCode(rawValue: 3311)
    /// 3312: The forcing-mapping ticket was used.
    public static let authAddMappingForciblyAlreadyUsedKey = ErrorCode(rawValue: 3312)
    /// 3313: The forcing-mapping ticket has expired.
    public static let authAddMappingForciblyExpiredKey = ErrorCode(rawValue: 3313)
    /// 3314: The ticket is for another identity provider.
    public static let authAddMappingForciblyDifferentIDP = ErrorCode(rawValue: 3314)
    /// 3315: The ticket is for another account.
    public static let authAddMappingForciblyDifferentAuthKey = ErrorCode(rawValue: 3315)
    /// 3401: The identity could not be unlinked, or the account has none of this provider.
    public static let authRemoveMappingFailed = ErrorCode(rawValue: 3401)
    /// 3402: The last identity can't be unlinked.
    public static let authRemoveMappingLastMappedIDP = ErrorCode(rawValue: 3402)
    /// 3403: The identity with which the player is logged in can't be unlinked.
    public static let authRemoveMappingLoggedInIDP = ErrorCode(rawValue: 3403)
    /// 3501
    public static let authLogoutFailed = ErrorCode(rawValue: 3501)
    /// 3601
    public static let authWithdrawFailed = ErrorCode(rawValue: 3601)
    /// 3602: A deletion of the account is pending already.
    public static let authWithdrawAlreadyTemporaryWithdraw = ErrorCode(rawValue: 3602)
    /// 3603: No deletion of the account is pending.
    public static let authWithdrawNotTemporaryWithdraw = ErrorCode(rawValue: 3603)
    /// 3701
    public static let authNotPlayable = ErrorCode(rawValue: 3701)
    /// 3999
    public static let authUnknownError = ErrorCode(rawValue: 3999)
    /// 8001
    public static let serverInternalError = ErrorCode(rawValue: 8001)
    /// 8002
    public static let serverRemoteSystemError = ErrorCode(rawValue: 8002)
    /// 8003
    public static let serverInvalidResponse = ErrorCode(rawValue: 8003)
    /// 8999
    public static let serverUnknownError = ErrorCode(rawValue: 8999)
    /// 9999
    public static let unknownError = ErrorCode(rawValue: 9999)
}
