// swift-format-ignore-file
// Names and values are Gamebase's (its TCGBConstants.h).

// MARK: Identity providers (TCGBAuthIDPs)

public let kTCGBAuthGuest = "guest"
public let kTCGBAuthGoogle = "google"
public let kTCGBAuthAppleID = "appleid"
public let kTCGBAuthiOSGameCenter = "iosgamecenter"
public let kTCGBAuthFacebook = "facebook"
public let kTCGBAuthLine = "line"
public let kTCGBAuthNaver = "naver"
public let kTCGBAuthTwitter = "twitter"
public let kTCGBAuthWeibo = "weibo"
public let kTCGBAuthKakaogame = "kakaogame"
public let kTCGBAuthHangame = "hangame"
public let kTCGBAuthPayco = "payco"
/// No adapter exists for it: a login ends with 3002.
public let kTCGBAuthSteam = "steam"

// MARK: Keys of credentials and of additionalInfo

public let kTCGBAuthLoginWithCredentialProviderNameKeyname = "provider_name"
/// The provider's access token. An OpenID Connect ID token is recognised by its form.
public let kTCGBAuthLoginWithCredentialAccessTokenKeyname = "access_token"
public let kTCGBAuthLoginWithCredentialAccessTokenSecretKeyname = "access_token_secret"
public let kTCGBAuthLoginWithCredentialRefreshTokenKeyname = "refresh_token"
/// What Game Center signed, or what else a provider's token needs, as a dictionary.
public let kTCGBAuthLoginWithCredentialAuthExtraKeyname = "extra_params"
/// A Boolean: whether a login may replace the current one.
public let kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname = "ignore_already_logged_in"
/// `japan`, `thailand`, `taiwan` or `indonesia`.
public let kTCGBAuthLoginWithCredentialLineChannelRegionKeyname = "sub_code"
public let kTCGBAuthLoginWithCredentialAuthorizationCodeKeyname = "authorization_code"
public let kTCGBAuthLoginWithCredentialCodeVerifierKeyname = "code_verifier"
public let kTCGBAuthLoginWithCredentialRedirectURIKeyname = "redirect_uri"
// What Game Center has signed (`fetchItems(forIdentityVerificationSignature:)`), for `iosgamecenter`.
/// A `URL`, or its text.
public let kTCGBAuthLoginWithCredentialGameCenterPublicKeyURLKeyname = "public_key_url"
/// `Data`, or its Base64.
public let kTCGBAuthLoginWithCredentialGameCenterSignatureKeyname = "signature"
/// `Data`, or its Base64.
public let kTCGBAuthLoginWithCredentialGameCenterSaltKeyname = "salt"
/// A number: milliseconds, as in the signed data.
public let kTCGBAuthLoginWithCredentialGameCenterTimestampKeyname = "timestamp"
/// The player's `teamPlayerID`; `gamePlayerID` for Apple Arcade.
public let kTCGBAuthLoginWithCredentialGameCenterPlayerIDKeyname = "player_id"
/// The bundle id; by default the game's own.
public let kTCGBAuthLoginWithCredentialGameCenterBundleIDKeyname = "bundle_id"

// MARK: Categories of events

public let kTCGBLoggedOut = TCGBGamebaseEventCategory.loggedOut.rawValue
public let kTCGBIdPRevoked = TCGBGamebaseEventCategory.idPRevoked.rawValue
public let kTCGBServerPushAppKickoutMessageReceived = TCGBGamebaseEventCategory.serverPushAppKickoutMessageReceived.rawValue
public let kTCGBServerPushAppKickout = TCGBGamebaseEventCategory.serverPushAppKickout.rawValue
public let kTCGBServerPushTransferKickout = TCGBGamebaseEventCategory.serverPushTransferKickout.rawValue
public let kTCGBObserverLaunching = TCGBGamebaseEventCategory.observerLaunching.rawValue
public let kTCGBObserverNetwork = TCGBGamebaseEventCategory.observerNetwork.rawValue
public let kTCGBObserverHeartbeat = TCGBGamebaseEventCategory.observerHeartbeat.rawValue
// Never sent, but a game's event handler may refer to them.
public let kTCGBPurchaseUpdated = TCGBGamebaseEventCategory.purchaseUpdated.rawValue
public let kTCGBPushReceivedMessage = TCGBGamebaseEventCategory.pushReceivedMessage.rawValue
public let kTCGBPushClickMessage = TCGBGamebaseEventCategory.pushClickMessage.rawValue
public let kTCGBPushClickAction = TCGBGamebaseEventCategory.pushClickAction.rawValue

public let kTCGBServerPushNotificationTypeAppKickout = "appKickout"
public let kTCGBServerPushNotificationTypeTransferKickout = "transferKickout"
public let kTCGBObserverMessageTypeNetwork = "network"
public let kTCGBObserverMessageTypeLaunching = "launching"
public let kTCGBObserverMessageTypeHeartbeat = "heartbeat"

// MARK: Display languages

public let kTCGBDisplayLanguageCodeGerman = "de"
public let kTCGBDisplayLanguageCodeEnglish = "en"
public let kTCGBDisplayLanguageCodeSpanish = "es"
public let kTCGBDisplayLanguageCodeFinish = "fi"
public let kTCGBDisplayLanguageCodeFinnish = "fi"
public let kTCGBDisplayLanguageCodeFrench = "fr"
public let kTCGBDisplayLanguageCodeIndonesian = "id"
public let kTCGBDisplayLanguageCodeItalian = "it"
public let kTCGBDisplayLanguageCodeJapanese = "ja"
public let kTCGBDisplayLanguageCodeKorean = "ko"
public let kTCGBDisplayLanguageCodePortuguese = "pt"
public let kTCGBDisplayLanguageCodeRussian = "ru"
public let kTCGBDisplayLanguageCodeThai = "th"
public let kTCGBDisplayLanguageCodeVietnamese = "vi"
public let kTCGBDisplayLanguageCodeMalay = "ms"
public let kTCGBDisplayLanguageCodeChineseSimplified = "zh-CN"
public let kTCGBDisplayLanguageCodeChineseTraditional = "zh-TW"

// MARK: Domains and keys of errors

public let TCGBDomainGamebase = "TCGBGamebase"
public let TCGBErrorUserInfoTransactionId = "transactionId"
@available(*, deprecated, renamed: "TCGBErrorUserInfoTransactionId")
public let TCGBErrorUserinfoTransactionId = TCGBErrorUserInfoTransactionId
