#pragma once
#import <Gamebase/TCGBImport.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

@class TCGBProviderAuthToken, TCGBProviderAuthProfile, TCGBProviderAuthExtra;

/// The result of a game's own adapter.
@interface TCGBProviderAuthCredential : NSObject
@property (nonatomic, strong, nullable) TCGBProviderAuthToken *authToken;
@property (nonatomic, strong, nullable) TCGBProviderAuthProfile *authProfile;
@property (nonatomic, strong, nullable) TCGBProviderAuthExtra *authExtra;
+ (TCGBProviderAuthCredential *)authCredentialWithAuthToken:(nullable TCGBProviderAuthToken *)authToken
    authProfile:(nullable TCGBProviderAuthProfile *)authProfile
    authExtra:(nullable TCGBProviderAuthExtra *)authExtra;
@end

/// What the provider issued. The spelling of the constructor's third name is Gamebase's.
@interface TCGBProviderAuthToken : NSObject
@property (nonatomic, copy, nullable) NSString *accessToken;
@property (nonatomic, copy, nullable) NSString *refreshToken;
@property (nonatomic, copy, nullable) NSString *accessTokenSecret;
@property (nonatomic) NSInteger expirationTime;
@property (nonatomic, getter=isCustomAuthType) BOOL customAuthType;
+ (TCGBProviderAuthToken *)authTokenWithAccessToken:(nullable NSString *)accessToken
    refreshToken:(nullable NSString *)refreshToken acessTokenSecret:(nullable NSString *)acessTokenSecret
    expirationTime:(NSInteger)expirationTime;
@end

/// The player's identity at the provider.
@interface TCGBProviderAuthProfile : NSObject
@property (nonatomic, copy, nullable) NSString *userID;
@property (nonatomic, copy, nullable) NSString *name;
@property (nonatomic, copy, nullable) NSString *email;
@property (nonatomic, copy, nullable) NSString *profileImageURL;
+ (TCGBProviderAuthProfile *)authProfileWithUserID:(nullable NSString *)userID name:(nullable NSString *)name
    email:(nullable NSString *)email profileImageURL:(nullable NSString *)profileImageURL;
@end

/// What else the provider issued.
@interface TCGBProviderAuthExtra : NSObject
@property (nonatomic, nullable) id extra;
+ (TCGBProviderAuthExtra *)authExtraWithExtraDictionary:(nullable NSDictionary<NSString *, id> *)extraDictionary;
- (nullable NSDictionary<NSString *, id> *)extraDictionary;
@end

/// What a provider has reported about the player.
@interface TCGBAuthProviderProfile : NSObject
- (instancetype)init __attribute__((unavailable("Gamebase makes it.")));
@property (nonatomic, readonly, copy) NSString *userID;
@property (nonatomic, readonly, copy) NSDictionary<NSString *, id> *information;
@end

NS_ASSUME_NONNULL_END
#endif
