// swift-format-ignore-file
// Names and values are Gamebase's (its TCGBConstants.h).

// MARK: Identity providers (TCGBAuthIDPs)

/// No identity provider: the device is the identity.
public let kTCGBAuthGuest = "guest"
/// Google.
public let kTCGBAuthGoogle = "google"
/// Sign in with Apple.
public let kTCGBAuthAppleID = "appleid"
/// Apple's Game Center.
public let kTCGBAuthiOSGameCenter = "iosgamecenter"
/// Facebook.
public let kTCGBAuthFacebook = "facebook"
/// LINE.
public let kTCGBAuthLine = "line"
/// Naver.
public let kTCGBAuthNaver = "naver"
/// X, formerly Twitter.
public let kTCGBAuthTwitter = "twitter"
/// Weibo.
public let kTCGBAuthWeibo = "weibo"
/// Kakao Games.
public let kTCGBAuthKakaogame = "kakaogame"
/// Hangame.
public let kTCGBAuthHangame = "hangame"
/// PAYCO.
public let kTCGBAuthPayco = "payco"
/// No adapter exists for it: a login ends with 3002.
public let kTCGBAuthSteam = "steam"

// MARK: Keys of credentials and of additionalInfo

/// The identity provider's name, such as ``kTCGBAuthGoogle``.
public let kTCGBAuthLoginWithCredentialProviderNameKeyname = "provider_name"
/// The provider's access token. An OpenID Connect ID token is recognised by its form.
public let kTCGBAuthLoginWithCredentialAccessTokenKeyname = "access_token"
/// The secret of an access token, where the provider issues one.
public let kTCGBAuthLoginWithCredentialAccessTokenSecretKeyname = "access_token_secret"
/// The provider's refresh token.
public let kTCGBAuthLoginWithCredentialRefreshTokenKeyname = "refresh_token"
/// What Game Center signed, or what else a provider's token needs, as a dictionary.
public let kTCGBAuthLoginWithCredentialAuthExtraKeyname = "extra_params"
/// A Boolean: whether a login may replace the current one.
public let kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname = "ignore_already_logged_in"
/// `japan`, `thailand`, `taiwan` or `indonesia`.
public let kTCGBAuthLoginWithCredentialLineChannelRegionKeyname = "sub_code"
/// An authorization code, which the server exchanges.
public let kTCGBAuthLoginWithCredentialAuthorizationCodeKeyname = "authorization_code"
/// The PKCE verifier with which the code was requested.
public let kTCGBAuthLoginWithCredentialCodeVerifierKeyname = "code_verifier"
/// The redirect URI with which the code was requested.
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

// MARK: Why a player of NHN's Gamebase does not come (``TCGBMigrationFailInfo``)

/// The player had an identity provider there: a login with it brings the account.
public let kTCGBMigrationProviderRequired = "legacy_provider_required"
/// This device has a guest, which would be lost.
public let kTCGBMigrationGuestExists = "legacy_guest_exists"
/// Another device has brought the player.
public let kTCGBMigrationClaimed = "legacy_claimed"
/// No player was imported by this id.
public let kTCGBMigrationUnknown = "legacy_unknown"
/// The time in which players come is over.
public let kTCGBMigrationClosed = "legacy_closed"
/// The game's own server brings the players.
public let kTCGBMigrationServerRequired = "legacy_server_required"

// MARK: Categories of events

/// ``TCGBGamebaseEventCategory/loggedOut`` as text.
public let kTCGBLoggedOut = TCGBGamebaseEventCategory.loggedOut.rawValue
/// ``TCGBGamebaseEventCategory/idPRevoked`` as text.
public let kTCGBIdPRevoked = TCGBGamebaseEventCategory.idPRevoked.rawValue
/// ``TCGBGamebaseEventCategory/serverPushAppKickoutMessageReceived`` as text.
public let kTCGBServerPushAppKickoutMessageReceived = TCGBGamebaseEventCategory.serverPushAppKickoutMessageReceived.rawValue
/// ``TCGBGamebaseEventCategory/serverPushAppKickout`` as text.
public let kTCGBServerPushAppKickout = TCGBGamebaseEventCategory.serverPushAppKickout.rawValue
/// ``TCGBGamebaseEventCategory/serverPushTransferKickout`` as text.
public let kTCGBServerPushTransferKickout = TCGBGamebaseEventCategory.serverPushTransferKickout.rawValue
/// ``TCGBGamebaseEventCategory/observerLaunching`` as text.
public let kTCGBObserverLaunching = TCGBGamebaseEventCategory.observerLaunching.rawValue
/// ``TCGBGamebaseEventCategory/observerNetwork`` as text.
public let kTCGBObserverNetwork = TCGBGamebaseEventCategory.observerNetwork.rawValue
/// ``TCGBGamebaseEventCategory/observerHeartbeat`` as text.
public let kTCGBObserverHeartbeat = TCGBGamebaseEventCategory.observerHeartbeat.rawValue
// Never sent, but a game's event handler may refer to them.
/// ``TCGBGamebaseEventCategory/purchaseUpdated`` as text. It is never sent.
public let kTCGBPurchaseUpdated = TCGBGamebaseEventCategory.purchaseUpdated.rawValue
/// ``TCGBGamebaseEventCategory/pushReceivedMessage`` as text. It is never sent.
public let kTCGBPushReceivedMessage = TCGBGamebaseEventCategory.pushReceivedMessage.rawValue
/// ``TCGBGamebaseEventCategory/pushClickMessage`` as text. It is never sent.
public let kTCGBPushClickMessage = TCGBGamebaseEventCategory.pushClickMessage.rawValue
/// ``TCGBGamebaseEventCategory/pushClickAction`` as text. It is never sent.
public let kTCGBPushClickAction = TCGBGamebaseEventCategory.pushClickAction.rawValue

/// The type of a kick-out.
public let kTCGBServerPushNotificationTypeAppKickout = "appKickout"
/// The type of a transfer to another device.
public let kTCGBServerPushNotificationTypeTransferKickout = "transferKickout"
/// The type of a change of the network.
public let kTCGBObserverMessageTypeNetwork = "network"
/// The type of a change of the game's status.
public let kTCGBObserverMessageTypeLaunching = "launching"
/// The type of a change of the player's account.
public let kTCGBObserverMessageTypeHeartbeat = "heartbeat"

// MARK: Display languages

/// German.
public let kTCGBDisplayLanguageCodeGerman = "de"
/// English.
public let kTCGBDisplayLanguageCodeEnglish = "en"
/// Spanish.
public let kTCGBDisplayLanguageCodeSpanish = "es"
/// Finnish. The name is Gamebase's.
public let kTCGBDisplayLanguageCodeFinish = "fi"
/// Finnish.
public let kTCGBDisplayLanguageCodeFinnish = "fi"
/// French.
public let kTCGBDisplayLanguageCodeFrench = "fr"
/// Indonesian.
public let kTCGBDisplayLanguageCodeIndonesian = "id"
/// Italian.
public let kTCGBDisplayLanguageCodeItalian = "it"
/// Japanese.
public let kTCGBDisplayLanguageCodeJapanese = "ja"
/// Korean.
public let kTCGBDisplayLanguageCodeKorean = "ko"
/// Portuguese.
public let kTCGBDisplayLanguageCodePortuguese = "pt"
/// Russian.
public let kTCGBDisplayLanguageCodeRussian = "ru"
/// Thai.
public let kTCGBDisplayLanguageCodeThai = "th"
/// Vietnamese.
public let kTCGBDisplayLanguageCodeVietnamese = "vi"
/// Malay.
public let kTCGBDisplayLanguageCodeMalay = "ms"
/// Chinese in simplified characters.
public let kTCGBDisplayLanguageCodeChineseSimplified = "zh-CN"
/// Chinese in traditional characters.
public let kTCGBDisplayLanguageCodeChineseTraditional = "zh-TW"

// MARK: Domains and keys of errors

/// The domain of errors of Gamebase's API.
public let TCGBDomainGamebase = "TCGBGamebase"
/// The key of the call's id in an error's `userInfo`.
public let TCGBErrorUserInfoTransactionId = "transactionId"
/// The same as ``TCGBErrorUserInfoTransactionId``.
@available(*, deprecated, renamed: "TCGBErrorUserInfoTransactionId")
public let TCGBErrorUserinfoTransactionId = TCGBErrorUserInfoTransactionId
