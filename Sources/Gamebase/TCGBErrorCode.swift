// swift-format-ignore-file: AlwaysUseLowerCamelCase
// One case and one constant for each code of Gamebase's table, because games force-unwrap `TCGBErrorCode(rawValue:)` and compare with
// the constants. A test compares them with the error table of the contract, which has every failure that a game can receive. The codes
// of purchases, push, logger and views are never sent. Where Gamebase's documents give only numbers, the names are ours.

/// Gamebase's error codes.
public enum TCGBErrorCode: Int, Sendable, CaseIterable {
    /// 1: The SDK has not been started. Call start first.
    case ERROR_NOT_INITIALIZED = 1
    /// 2: The call needs a login and there is none. Log the player in.
    case ERROR_NOT_LOGGED_IN = 2
    /// 3: A parameter is missing, malformed or out of range. Fix the call; the message names the parameter.
    case ERROR_INVALID_PARAMETER = 3
    /// 4: The body is not well-formed JSON of the documented shape. Fix the call.
    case ERROR_INVALID_JSON_FORMAT = 4
    /// 5: The caller has no permission: the secret key is missing, wrong or revoked. Check the secret key of the app.
    case ERROR_USER_PERMISSION = 5
    /// 6: The member can't be used: withdrawn or frozen. Log in again; contact support if it stays.
    case ERROR_INVALID_MEMBER = 6
    /// 7: The member is banned. Show the ban that is attached to the error.
    case ERROR_BANNED_MEMBER = 7
    /// 8: The transfer was issued on this very device. Redeem it on the new device.
    case ERROR_SAME_REQUESTOR = 8
    /// 9: The member is not a pure guest. Offer transfer to pure guests only.
    case ERROR_NOT_GUEST_OR_HAS_OTHERS = 9
    /// 10: The call does not exist here. Check the path, the method and the server's version.
    case ERROR_NOT_SUPPORTED = 10
    /// 11: Not supported on Android. Do not offer it there.
    case ERROR_NOT_SUPPORTED_ANDROID = 11
    /// 12: Not supported on iOS. Do not offer it there.
    case ERROR_NOT_SUPPORTED_IOS = 12
    /// 13: Not supported in the Unity editor. Do not offer it there.
    case ERROR_NOT_SUPPORTED_UNITY_EDITOR = 13
    /// 14: Not supported in Unity standalone players. Do not offer it there.
    case ERROR_NOT_SUPPORTED_UNITY_STANDALONE = 14
    /// 15: Not supported in Unity WebGL players. Do not offer it there.
    case ERROR_NOT_SUPPORTED_UNITY_WEBGL = 15
    /// 31: The Android activity is gone. Call again from a live activity.
    case ERROR_ANDROID_ACTIVITY_DESTROYED = 31
    /// 32: activeApp was not called. Call it first.
    case ERROR_ANDROID_ACTIVEAPP_NOT_CALLED = 32
    /// 51: Game Center was denied by the player or the system. Point the player to the settings of Game Center.
    case ERROR_IOS_GAMECENTER_DENIED = 51
    /// 52: The URL can't be opened. Check the URL schemes of the game.
    case ERROR_IOS_CANNOT_OPEN_URL = 52
    /// 101: No answer in time. Offer to try again; nothing is done twice.
    case ERROR_SOCKET_RESPONSE_TIMEOUT = 101
    /// 110: No connection to the server. Offer to try again; nothing is done twice.
    case ERROR_SOCKET_ERROR = 110
    /// 999: An unknown network error. Offer to try again.
    case ERROR_SOCKET_UNKNOWN_ERROR = 999
    /// 2001: The launching information can't be had. Try again later.
    case ERROR_LAUNCHING_SERVER_ERROR = 2001
    /// 2002: The client id does not exist. Check the configuration.
    case ERROR_LAUNCHING_NOT_EXIST_CLIENT_ID = 2002
    /// 2003: No app has this id. Check the app id in the configuration.
    case ERROR_LAUNCHING_UNREGISTERED_APP = 2003
    /// 2004: The client version is not registered. Register the version.
    case ERROR_LAUNCHING_UNREGISTERED_CLIENT = 2004
    /// 3001: The player closed the login. Show the title screen again.
    case ERROR_AUTH_USER_CANCELED = 3001
    /// 3002: No adapter is registered for the identity provider. Register the adapter.
    case ERROR_AUTH_NOT_SUPPORTED_PROVIDER = 3002
    /// 3003: The member does not exist or has withdrawn. Log in again.
    case ERROR_AUTH_NOT_EXIST_MEMBER = 3003
    /// 3004: The member is invalid (SDK 1.x; now 6). As 6.
    case ERROR_AUTH_INVALID_MEMBER = 3004
    /// 3005: The member is banned (SDK 1.x; now 7). As 7.
    case ERROR_AUTH_BANNED_MEMBER = 3005
    /// 3006: The identity provider's library did not start. See the detail error.
    case ERROR_AUTH_EXTERNAL_LIBRARY_INITIALIZATION_ERROR = 3006
    /// 3009: The identity provider's library failed. See the detail error.
    case ERROR_AUTH_EXTERNAL_LIBRARY_ERROR = 3009
    /// 3010: Another authentication call is under way. Wait for its end.
    case ERROR_AUTH_ALREADY_IN_PROGRESS_ERROR = 3010
    /// 3011: The access token is malformed, expired, revoked or foreign. The session is over: log the player in.
    case ERROR_AUTH_INVALID_GAMEBASE_TOKEN = 3011
    /// 3012: The call could not be authenticated: its proof is missing, malformed, stale or used. The SDK signs a new proof by the
    /// server's clock and tries again.
    case ERROR_AUTH_AUTHENTICATION_SERVER_ERROR = 3012
    /// 3013: The login could not be cancelled. Wait for its end.
    case ERROR_AUTH_LOGIN_CANCEL_FAILED = 3013
    /// 3031: The transfer key has expired. Issue a new one on the old device.
    case ERROR_AUTH_TRANSFERKEY_EXPIRED = 3031
    /// 3032: The transfer key was used. Issue a new one on the old device.
    case ERROR_AUTH_TRANSFERKEY_CONSUMED = 3032
    /// 3033: The transfer key is unknown. Ask the player to check it.
    case ERROR_AUTH_TRANSFERKEY_NOT_EXIST = 3033
    /// 3041: The transfer account has expired. Renew it on the old device.
    case ERROR_AUTH_TRANSFERACCOUNT_EXPIRED = 3041
    /// 3042: Too many wrong attempts: the transfer account is blocked. Show the end of the block that is attached.
    case ERROR_AUTH_TRANSFERACCOUNT_BLOCK = 3042
    /// 3043: The transfer account's id is unknown. Ask the player to check it.
    case ERROR_AUTH_TRANSFERACCOUNT_INVALID_ID = 3043
    /// 3044: The transfer account's password is wrong. Ask the player to check it.
    case ERROR_AUTH_TRANSFERACCOUNT_INVALID_PASSWORD = 3044
    /// 3045: The app has no transfer policy. Set one before offering transfer.
    case ERROR_AUTH_TRANSFERACCOUNT_CONSOLE_NO_CONDITION = 3045
    /// 3046: No transfer account was issued. Issue one.
    case ERROR_AUTH_TRANSFERACCOUNT_NOT_EXIST = 3046
    /// 3047: The chosen id is in use. Ask the player for another.
    case ERROR_AUTH_TRANSFERACCOUNT_ALREADY_EXIST_ID = 3047
    /// 3048: The transfer account was used. Renew it on the old device.
    case ERROR_AUTH_TRANSFERACCOUNT_ALREADY_USED = 3048
    /// 3101: The login with the last provider failed. Offer to try again or to log in with a provider.
    case ERROR_AUTH_TOKEN_LOGIN_FAILED = 3101
    /// 3102: The stored session is over: expired, revoked or unknown. Show the choice of providers.
    case ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO = 3102
    /// 3103: No login is stored on the device. Show the choice of providers.
    case ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP = 3103
    /// 3201: The identity provider refused the credential, or a player is logged in already. See the detail; show the choice of
    /// providers.
    case ERROR_AUTH_IDP_LOGIN_FAILED = 3201
    /// 3202: The identity provider is not configured, or the credential lacks a part. Check the app's identity providers and the
    /// credential.
    case ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO = 3202
    /// 3203: The identity provider needs a login outside the game first. Tell the player where to log in.
    case ERROR_AUTH_IDP_LOGIN_EXTERNAL_AUTHENTICATION_REQUIRED = 3203
    /// 3204: No browser for the login was found. Ask the player to install one.
    case ERROR_AUTH_IDP_LOGIN_SUPPORTED_BROWSER_NOT_FOUND = 3204
    /// 3205: The login page's request is not valid. Start the login again.
    case ERROR_AUTH_IDP_LOGIN_INVALID_REQUEST = 3205
    /// 3206: The player could not log in on the page. Start the login again.
    case ERROR_AUTH_IDP_LOGIN_USER_FAILED = 3206
    /// 3301: The identity provider refused the credential. See the detail error.
    case ERROR_AUTH_ADD_MAPPING_FAILED = 3301
    /// 3302: The identity belongs to another member. Let the player choose, with the ticket that is attached.
    case ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER = 3302
    /// 3303: The member has an identity of this provider. Remove it first.
    case ERROR_AUTH_ADD_MAPPING_ALREADY_HAS_SAME_IDP = 3303
    /// 3304: The identity provider is not configured, or the credential lacks a part. Check the app's identity providers and the
    /// credential.
    case ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO = 3304
    /// 3305: Guest can't be mapped. Do not offer it.
    case ERROR_AUTH_ADD_MAPPING_CANNOT_ADD_GUEST_IDP = 3305
    /// 3311: The forcing-mapping ticket is unknown. Map again to get a ticket.
    case ERROR_AUTH_ADD_MAPPING_FORCIBLY_NOT_EXIST_KEY = 3311
    /// 3312: The forcing-mapping ticket was used. Map again to get a ticket.
    case ERROR_AUTH_ADD_MAPPING_FORCIBLY_ALREADY_USED_KEY = 3312
    /// 3313: The forcing-mapping ticket has expired. Map again to get a ticket.
    case ERROR_AUTH_ADD_MAPPING_FORCIBLY_EXPIRED_KEY = 3313
    /// 3314: The ticket is for another identity provider. Use the ticket of the failed mapping.
    case ERROR_AUTH_ADD_MAPPING_FORCIBLY_DIFFERENT_IDP = 3314
    /// 3315: The ticket is for another account. Use the ticket of the failed mapping.
    case ERROR_AUTH_ADD_MAPPING_FORCIBLY_DIFFERENT_AUTHKEY = 3315
    /// 3401: The mapping could not be removed, or there is none. Refresh the list of mappings.
    case ERROR_AUTH_REMOVE_MAPPING_FAILED = 3401
    /// 3402: The last identity can't be removed. Withdraw instead, or map another first.
    case ERROR_AUTH_REMOVE_MAPPING_LAST_MAPPED_IDP = 3402
    /// 3403: The identity that is logged in can't be removed. Log in with another first.
    case ERROR_AUTH_REMOVE_MAPPING_LOGGED_IN_IDP = 3403
    /// 3501: The device's session could not be cleared. Try again.
    case ERROR_AUTH_LOGOUT_FAILED = 3501
    /// 3601: The withdrawal failed; nothing changed. Try again.
    case ERROR_AUTH_WITHDRAW_FAILED = 3601
    /// 3602: A withdrawal is pending already. Offer to cancel it.
    case ERROR_AUTH_WITHDRAW_ALREADY_TEMPORARY_WITHDRAW = 3602
    /// 3603: No withdrawal is pending. Refresh the member.
    case ERROR_AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW = 3603
    /// 3701: The app is not in service. Show the status and the maintenance message.
    case ERROR_AUTH_NOT_PLAYABLE = 3701
    /// 3999: An unforeseen authentication error. Try again later.
    case ERROR_AUTH_UNKNOWN_ERROR = 3999
    /// 4001: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_NOT_INITIALIZED = 4001
    /// 4002: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_USER_CANCELED = 4002
    /// 4003: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_NOT_FINISHED_PREVIOUS_PURCHASING = 4003
    /// 4004: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_NOT_ENOUGH_CASH = 4004
    /// 4005: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_INACTIVE_PRODUCT_ID = 4005
    /// 4006: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_NOT_EXIST_PRODUCT_ID = 4006
    /// 4007: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_LIMIT_EXCEEDED = 4007
    /// 4010: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_NOT_SUPPORTED_MARKET = 4010
    /// 4201: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_EXTERNAL_LIBRARY_ERROR = 4201
    /// 4999: a code of purchases, which are not here. It is never sent.
    case ERROR_PURCHASE_UNKNOWN_ERROR = 4999
    /// 5101: a code of push, which are not here. It is never sent.
    case ERROR_PUSH_EXTERNAL_LIBRARY_ERROR = 5101
    /// 5102: a code of push, which are not here. It is never sent.
    case ERROR_PUSH_ALREADY_IN_PROGRESS_ERROR = 5102
    /// 5999: a code of push, which are not here. It is never sent.
    case ERROR_PUSH_UNKNOWN_ERROR = 5999
    /// 6001: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_LOGGER_NOT_INITIALIZED = 6001
    /// 6048: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_LOGGER_INVALID_CONFIGURATION = 6048
    /// 6049: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_LOGGER_UNKNOWN_ERROR = 6049
    /// 6901: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_IMAGE_NOTICE_TIMEOUT = 6901
    /// 6902: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_IMAGE_NOTICE_NOT_SUPPORTED_OS = 6902
    /// 6911: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_CONTACT_FAIL_INVALID_URL = 6911
    /// 6912: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_CONTACT_FAIL_ISSUE_SHORT_TERM_TICKET = 6912
    /// 6913: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_CONTACT_FAIL_ANDROID_DUPLICATED_VIEW = 6913
    /// 6921: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_TERMS_NOT_EXIST_IN_CONSOLE = 6921
    /// 6922: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_TERMS_NOT_EXIST_FOR_DEVICE_COUNTRY = 6922
    /// 6923: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_TERMS_UNREGISTERED_SEQ = 6923
    /// 6924: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_TERMS_ALREADY_IN_PROGRESS_ERROR = 6924
    /// 6925: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_TERMS_ANDROID_DUPLICATED_VIEW = 6925
    /// 6931: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_GAME_NOTICE_FAIL_INVALID_URL = 6931
    /// 6932: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_GAME_NOTICE_FAIL_ANDROID_DUPLICATED_VIEW = 6932
    /// 6933: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_GAME_NOTICE_FAIL_ISSUE_SHORT_TERM_TICKET = 6933
    /// 6941: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_COMMUNITY_FAIL_INVALID_URL = 6941
    /// 6942: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_COMMUNITY_FAIL_ANDROID_DUPLICATED_VIEW = 6942
    /// 6999: a code of logger and user interface, which are not here. It is never sent.
    case ERROR_UI_UNKNOWN_ERROR = 6999
    /// 7001: a code of web views, which are not here. It is never sent.
    case ERROR_WEBVIEW_INVALID_URL = 7001
    /// 7002: a code of web views, which are not here. It is never sent.
    case ERROR_WEBVIEW_TIMEOUT = 7002
    /// 7003: a code of web views, which are not here. It is never sent.
    case ERROR_WEBVIEW_HTTP_ERROR = 7003
    /// 7004: a code of web views, which are not here. It is never sent.
    case ERROR_WEBVIEW_OPENED_NEW_BROWSER_BEFORE_CLOSE = 7004
    /// 7999: a code of web views, which are not here. It is never sent.
    case ERROR_WEBVIEW_UNKNOWN_ERROR = 7999
    /// 8001: The server could not do it: a fault, too much load, or too many calls. Try again later; Retry-After tells when.
    case ERROR_SERVER_INTERNAL_ERROR = 8001
    /// 8002: A system that the server needs did not answer. Try again later.
    case ERROR_SERVER_REMOTE_SYSTEM_ERROR = 8002
    /// 8003: The answer can't be understood. Check the server's address and version.
    case ERROR_SERVER_INVALID_RESPONSE = 8003
    /// 8999: An unknown server error. Try again later.
    case ERROR_SERVER_UNKNOWN_ERROR = 8999
    /// 9999: An unknown error. Try again later.
    case ERROR_UNKNOWN_ERROR = 9999
}
