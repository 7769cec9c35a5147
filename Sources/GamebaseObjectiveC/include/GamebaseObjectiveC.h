// Gamebase's constants for Objective-C, which does not see Swift's: `@import GamebaseObjectiveC;` beside `@import Gamebase;`.
// A test holds each one to its counterpart in Swift.
#pragma once
#ifdef __OBJC__
#import <Foundation/Foundation.h>

// Identity providers (TCGBAuthIDPs)
static NSString *const kTCGBAuthGuest = @"guest";
static NSString *const kTCGBAuthGoogle = @"google";
static NSString *const kTCGBAuthAppleID = @"appleid";
static NSString *const kTCGBAuthiOSGameCenter = @"iosgamecenter";
static NSString *const kTCGBAuthFacebook = @"facebook";
static NSString *const kTCGBAuthLine = @"line";
static NSString *const kTCGBAuthNaver = @"naver";
static NSString *const kTCGBAuthTwitter = @"twitter";
static NSString *const kTCGBAuthWeibo = @"weibo";
static NSString *const kTCGBAuthKakaogame = @"kakaogame";
static NSString *const kTCGBAuthHangame = @"hangame";
static NSString *const kTCGBAuthPayco = @"payco";
static NSString *const kTCGBAuthSteam = @"steam";

// Keys of credentials and of additionalInfo
static NSString *const kTCGBAuthLoginWithCredentialProviderNameKeyname = @"provider_name";
static NSString *const kTCGBAuthLoginWithCredentialAccessTokenKeyname = @"access_token";
static NSString *const kTCGBAuthLoginWithCredentialAccessTokenSecretKeyname = @"access_token_secret";
static NSString *const kTCGBAuthLoginWithCredentialRefreshTokenKeyname = @"refresh_token";
static NSString *const kTCGBAuthLoginWithCredentialAuthExtraKeyname = @"extra_params";
static NSString *const kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname = @"ignore_already_logged_in";
static NSString *const kTCGBAuthLoginWithCredentialLineChannelRegionKeyname = @"sub_code";
static NSString *const kTCGBAuthLoginWithCredentialAuthorizationCodeKeyname = @"authorization_code";
static NSString *const kTCGBAuthLoginWithCredentialCodeVerifierKeyname = @"code_verifier";
static NSString *const kTCGBAuthLoginWithCredentialRedirectURIKeyname = @"redirect_uri";
static NSString *const kTCGBAuthLoginWithCredentialGameCenterPublicKeyURLKeyname = @"public_key_url";
static NSString *const kTCGBAuthLoginWithCredentialGameCenterSignatureKeyname = @"signature";
static NSString *const kTCGBAuthLoginWithCredentialGameCenterSaltKeyname = @"salt";
static NSString *const kTCGBAuthLoginWithCredentialGameCenterTimestampKeyname = @"timestamp";
static NSString *const kTCGBAuthLoginWithCredentialGameCenterPlayerIDKeyname = @"player_id";
static NSString *const kTCGBAuthLoginWithCredentialGameCenterBundleIDKeyname = @"bundle_id";

// Categories of events
static NSString *const kTCGBLoggedOut = @"loggedOut";
static NSString *const kTCGBIdPRevoked = @"idPRevoked";
static NSString *const kTCGBServerPushAppKickoutMessageReceived = @"serverPushAppKickoutMessageReceived";
static NSString *const kTCGBServerPushAppKickout = @"serverPushAppKickout";
static NSString *const kTCGBServerPushTransferKickout = @"serverPushTransferKickout";
static NSString *const kTCGBObserverLaunching = @"observerLaunching";
static NSString *const kTCGBObserverNetwork = @"observerNetwork";
static NSString *const kTCGBObserverHeartbeat = @"observerHeartbeat";
static NSString *const kTCGBPurchaseUpdated = @"purchaseUpdated";
static NSString *const kTCGBPushReceivedMessage = @"pushReceivedMessage";
static NSString *const kTCGBPushClickMessage = @"pushClickMessage";
static NSString *const kTCGBPushClickAction = @"pushClickAction";
static NSString *const kTCGBServerPushNotificationTypeAppKickout = @"appKickout";
static NSString *const kTCGBServerPushNotificationTypeTransferKickout = @"transferKickout";
static NSString *const kTCGBObserverMessageTypeNetwork = @"network";
static NSString *const kTCGBObserverMessageTypeLaunching = @"launching";
static NSString *const kTCGBObserverMessageTypeHeartbeat = @"heartbeat";

// Display languages
static NSString *const kTCGBDisplayLanguageCodeGerman = @"de";
static NSString *const kTCGBDisplayLanguageCodeEnglish = @"en";
static NSString *const kTCGBDisplayLanguageCodeSpanish = @"es";
static NSString *const kTCGBDisplayLanguageCodeFinish = @"fi";
static NSString *const kTCGBDisplayLanguageCodeFinnish = @"fi";
static NSString *const kTCGBDisplayLanguageCodeFrench = @"fr";
static NSString *const kTCGBDisplayLanguageCodeIndonesian = @"id";
static NSString *const kTCGBDisplayLanguageCodeItalian = @"it";
static NSString *const kTCGBDisplayLanguageCodeJapanese = @"ja";
static NSString *const kTCGBDisplayLanguageCodeKorean = @"ko";
static NSString *const kTCGBDisplayLanguageCodePortuguese = @"pt";
static NSString *const kTCGBDisplayLanguageCodeRussian = @"ru";
static NSString *const kTCGBDisplayLanguageCodeThai = @"th";
static NSString *const kTCGBDisplayLanguageCodeVietnamese = @"vi";
static NSString *const kTCGBDisplayLanguageCodeMalay = @"ms";
static NSString *const kTCGBDisplayLanguageCodeChineseSimplified = @"zh-CN";
static NSString *const kTCGBDisplayLanguageCodeChineseTraditional = @"zh-TW";

// Domains and keys of errors
static NSString *const TCGBDomainGamebase = @"TCGBGamebase";
static NSString *const TCGBErrorUserInfoTransactionId = @"transactionId";
static NSString *const TCGBErrorUserinfoTransactionId = @"transactionId";

// Codes of errors
enum {
    TCGB_ERROR_NOT_INITIALIZED = 1,
    TCGB_ERROR_NOT_LOGGED_IN = 2,
    TCGB_ERROR_INVALID_PARAMETER = 3,
    TCGB_ERROR_INVALID_JSON_FORMAT = 4,
    TCGB_ERROR_USER_PERMISSION = 5,
    TCGB_ERROR_INVALID_MEMBER = 6,
    TCGB_ERROR_BANNED_MEMBER = 7,
    TCGB_ERROR_SAME_REQUESTOR = 8,
    TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS = 9,
    TCGB_ERROR_NOT_SUPPORTED = 10,
    TCGB_ERROR_NOT_SUPPORTED_ANDROID = 11,
    TCGB_ERROR_NOT_SUPPORTED_IOS = 12,
    TCGB_ERROR_NOT_SUPPORTED_UNITY_EDITOR = 13,
    TCGB_ERROR_NOT_SUPPORTED_UNITY_STANDALONE = 14,
    TCGB_ERROR_NOT_SUPPORTED_UNITY_WEBGL = 15,
    TCGB_ERROR_ANDROID_ACTIVITY_DESTROYED = 31,
    TCGB_ERROR_ANDROID_ACTIVEAPP_NOT_CALLED = 32,
    TCGB_ERROR_IOS_GAMECENTER_DENIED = 51,
    TCGB_ERROR_IOS_CANNOT_OPEN_URL = 52,
    TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT = 101,
    TCGB_ERROR_SOCKET_ERROR = 110,
    TCGB_ERROR_SOCKET_UNKNOWN_ERROR = 999,
    TCGB_ERROR_LAUNCHING_SERVER_ERROR = 2001,
    TCGB_ERROR_LAUNCHING_NOT_EXIST_CLIENT_ID = 2002,
    TCGB_ERROR_LAUNCHING_UNREGISTERED_APP = 2003,
    TCGB_ERROR_LAUNCHING_UNREGISTERED_CLIENT = 2004,
    TCGB_ERROR_AUTH_USER_CANCELED = 3001,
    TCGB_ERROR_AUTH_NOT_SUPPORTED_PROVIDER = 3002,
    TCGB_ERROR_AUTH_NOT_EXIST_MEMBER = 3003,
    TCGB_ERROR_AUTH_INVALID_MEMBER = 3004,
    TCGB_ERROR_AUTH_BANNED_MEMBER = 3005,
    TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_INITIALIZATION_ERROR = 3006,
    TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_ERROR = 3009,
    TCGB_ERROR_AUTH_ALREADY_IN_PROGRESS_ERROR = 3010,
    TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN = 3011,
    TCGB_ERROR_AUTH_AUTHENTICATION_SERVER_ERROR = 3012,
    TCGB_ERROR_AUTH_LOGIN_CANCEL_FAILED = 3013,
    TCGB_ERROR_AUTH_TRANSFERKEY_EXPIRED = 3031,
    TCGB_ERROR_AUTH_TRANSFERKEY_CONSUMED = 3032,
    TCGB_ERROR_AUTH_TRANSFERKEY_NOT_EXIST = 3033,
    TCGB_ERROR_AUTH_TRANSFERACCOUNT_EXPIRED = 3041,
    TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK = 3042,
    TCGB_ERROR_AUTH_TRANSFERACCOUNT_INVALID_ID = 3043,
    TCGB_ERROR_AUTH_TRANSFERACCOUNT_INVALID_PASSWORD = 3044,
    TCGB_ERROR_AUTH_TRANSFERACCOUNT_CONSOLE_NO_CONDITION = 3045,
    TCGB_ERROR_AUTH_TRANSFERACCOUNT_NOT_EXIST = 3046,
    TCGB_ERROR_AUTH_TRANSFERACCOUNT_ALREADY_EXIST_ID = 3047,
    TCGB_ERROR_AUTH_TRANSFERACCOUNT_ALREADY_USED = 3048,
    TCGB_ERROR_AUTH_TOKEN_LOGIN_FAILED = 3101,
    TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO = 3102,
    TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP = 3103,
    TCGB_ERROR_AUTH_IDP_LOGIN_FAILED = 3201,
    TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO = 3202,
    TCGB_ERROR_AUTH_IDP_LOGIN_EXTERNAL_AUTHENTICATION_REQUIRED = 3203,
    TCGB_ERROR_AUTH_IDP_LOGIN_SUPPORTED_BROWSER_NOT_FOUND = 3204,
    TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_REQUEST = 3205,
    TCGB_ERROR_AUTH_IDP_LOGIN_USER_FAILED = 3206,
    TCGB_ERROR_AUTH_ADD_MAPPING_FAILED = 3301,
    TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER = 3302,
    TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_HAS_SAME_IDP = 3303,
    TCGB_ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO = 3304,
    TCGB_ERROR_AUTH_ADD_MAPPING_CANNOT_ADD_GUEST_IDP = 3305,
    TCGB_ERROR_AUTH_ADD_MAPPING_FORCIBLY_NOT_EXIST_KEY = 3311,
    TCGB_ERROR_AUTH_ADD_MAPPING_FORCIBLY_ALREADY_USED_KEY = 3312,
    TCGB_ERROR_AUTH_ADD_MAPPING_FORCIBLY_EXPIRED_KEY = 3313,
    TCGB_ERROR_AUTH_ADD_MAPPING_FORCIBLY_DIFFERENT_IDP = 3314,
    TCGB_ERROR_AUTH_ADD_MAPPING_FORCIBLY_DIFFERENT_AUTHKEY = 3315,
    TCGB_ERROR_AUTH_REMOVE_MAPPING_FAILED = 3401,
    TCGB_ERROR_AUTH_REMOVE_MAPPING_LAST_MAPPED_IDP = 3402,
    TCGB_ERROR_AUTH_REMOVE_MAPPING_LOGGED_IN_IDP = 3403,
    TCGB_ERROR_AUTH_LOGOUT_FAILED = 3501,
    TCGB_ERROR_AUTH_WITHDRAW_FAILED = 3601,
    TCGB_ERROR_AUTH_WITHDRAW_ALREADY_TEMPORARY_WITHDRAW = 3602,
    TCGB_ERROR_AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW = 3603,
    TCGB_ERROR_AUTH_NOT_PLAYABLE = 3701,
    TCGB_ERROR_AUTH_UNKNOWN_ERROR = 3999,
    TCGB_ERROR_PURCHASE_NOT_INITIALIZED = 4001,
    TCGB_ERROR_PURCHASE_USER_CANCELED = 4002,
    TCGB_ERROR_PURCHASE_NOT_FINISHED_PREVIOUS_PURCHASING = 4003,
    TCGB_ERROR_PURCHASE_NOT_ENOUGH_CASH = 4004,
    TCGB_ERROR_PURCHASE_INACTIVE_PRODUCT_ID = 4005,
    TCGB_ERROR_PURCHASE_NOT_EXIST_PRODUCT_ID = 4006,
    TCGB_ERROR_PURCHASE_LIMIT_EXCEEDED = 4007,
    TCGB_ERROR_PURCHASE_NOT_SUPPORTED_MARKET = 4010,
    TCGB_ERROR_PURCHASE_EXTERNAL_LIBRARY_ERROR = 4201,
    TCGB_ERROR_PURCHASE_UNKNOWN_ERROR = 4999,
    TCGB_ERROR_PUSH_EXTERNAL_LIBRARY_ERROR = 5101,
    TCGB_ERROR_PUSH_ALREADY_IN_PROGRESS_ERROR = 5102,
    TCGB_ERROR_PUSH_UNKNOWN_ERROR = 5999,
    TCGB_ERROR_LOGGER_NOT_INITIALIZED = 6001,
    TCGB_ERROR_LOGGER_INVALID_CONFIGURATION = 6048,
    TCGB_ERROR_LOGGER_UNKNOWN_ERROR = 6049,
    TCGB_ERROR_UI_IMAGE_NOTICE_TIMEOUT = 6901,
    TCGB_ERROR_UI_IMAGE_NOTICE_NOT_SUPPORTED_OS = 6902,
    TCGB_ERROR_UI_CONTACT_FAIL_INVALID_URL = 6911,
    TCGB_ERROR_UI_CONTACT_FAIL_ISSUE_SHORT_TERM_TICKET = 6912,
    TCGB_ERROR_UI_CONTACT_FAIL_ANDROID_DUPLICATED_VIEW = 6913,
    TCGB_ERROR_UI_TERMS_NOT_EXIST_IN_CONSOLE = 6921,
    TCGB_ERROR_UI_TERMS_NOT_EXIST_FOR_DEVICE_COUNTRY = 6922,
    TCGB_ERROR_UI_TERMS_UNREGISTERED_SEQ = 6923,
    TCGB_ERROR_UI_TERMS_ALREADY_IN_PROGRESS_ERROR = 6924,
    TCGB_ERROR_UI_TERMS_ANDROID_DUPLICATED_VIEW = 6925,
    TCGB_ERROR_UI_GAME_NOTICE_FAIL_INVALID_URL = 6931,
    TCGB_ERROR_UI_GAME_NOTICE_FAIL_ANDROID_DUPLICATED_VIEW = 6932,
    TCGB_ERROR_UI_GAME_NOTICE_FAIL_ISSUE_SHORT_TERM_TICKET = 6933,
    TCGB_ERROR_UI_COMMUNITY_FAIL_INVALID_URL = 6941,
    TCGB_ERROR_UI_COMMUNITY_FAIL_ANDROID_DUPLICATED_VIEW = 6942,
    TCGB_ERROR_UI_UNKNOWN_ERROR = 6999,
    TCGB_ERROR_WEBVIEW_INVALID_URL = 7001,
    TCGB_ERROR_WEBVIEW_TIMEOUT = 7002,
    TCGB_ERROR_WEBVIEW_HTTP_ERROR = 7003,
    TCGB_ERROR_WEBVIEW_OPENED_NEW_BROWSER_BEFORE_CLOSE = 7004,
    TCGB_ERROR_WEBVIEW_UNKNOWN_ERROR = 7999,
    TCGB_ERROR_SERVER_INTERNAL_ERROR = 8001,
    TCGB_ERROR_SERVER_REMOTE_SYSTEM_ERROR = 8002,
    TCGB_ERROR_SERVER_INVALID_RESPONSE = 8003,
    TCGB_ERROR_SERVER_UNKNOWN_ERROR = 8999,
    TCGB_ERROR_UNKNOWN_ERROR = 9999,
    TCGB_ERORR_AUTH_TRANSFERACCOUNT_INVALID_ID = 3043,
    TCGB_ERORR_AUTH_TRANSFERACCOUNT_INVALID_PASSWORD = 3044,
};

// The game's status
enum {
    NOT_INITIALIZED = 0,
    IN_SERVICE = 200,
    RECOMMEND_UPDATE = 201,
    IN_SERVICE_BY_QA_WHITE_LIST = 202,
    IN_TEST = 203,
    IN_REVIEW = 204,
    IN_BETA = 205,
    REQUIRE_UPDATE = 300,
    BLOCKED_USER = 301,
    TERMINATED_SERVICE = 302,
    INSPECTING_SERVICE = 303,
    INSPECTING_ALL_SERVICES = 304,
    INTERNAL_SERVER_ERROR = 500,
};

// What a revocation has done
enum {
    IDP_REVOKED_WITHDRAW = 600,
    IDP_REVOKED_OVERWRITE_LOGIN_AND_REMOVE_MAPPING = 601,
    IDP_REVOKED_REMOVE_MAPPING = 602,
};

// The network
enum {
    ReachabilityIsNotDefined = -100,
    NotReachable = -1,
    ReachableViaWWAN = 0,
    ReachableViaWifi = 1,
};
#endif
