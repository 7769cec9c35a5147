#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBValueObject.h>
#import <Gamebase/TCGBGraceBanInfo.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

@class TCGBToken, TCGBMember;

/// The result of a login or a mapping.
@interface TCGBAuthToken : TCGBValueObject
@property (nonatomic, readonly, strong) TCGBToken *tcgbToken;
@property (nonatomic, readonly, strong) TCGBMember *tcgbMember;
+ (nullable TCGBAuthToken *)tcgbAuthTokenWithJSONObject:(NSDictionary<NSString *, id> *)object;
- (nullable NSArray<NSString *> *)mappingAuthList;
/// The pending withdrawal, or nil.
- (nullable TCGBTemporaryWithdrawalInfo *)getTemporaryWithdrawalInfo;
@end

/// The access token, which a game's server verifies.
@interface TCGBToken : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *accessToken;
@property (nonatomic, readonly, copy, nullable) NSString *accessTokenSecret;
@property (nonatomic, readonly, copy, nullable) NSString *sourceIdPCode;
@end

/// One identity of a member.
@interface TCGBAuthMappingInfo : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *userId;
@property (nonatomic, readonly, copy) NSString *authSystem;
@property (nonatomic, readonly, copy) NSString *idPCode;
@property (nonatomic, readonly, copy) NSString *authKey;
@property (nonatomic, readonly) NSInteger regDate;
- (nullable id)objectForKeyedSubscript:(NSString *)key;
@end

/// A player account. Dates are milliseconds since 1970, UTC.
@interface TCGBMember : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *userId;
@property (nonatomic, readonly, copy) NSString *valid;
@property (nonatomic, readonly, copy) NSString *appId;
@property (nonatomic, readonly) NSInteger regDate;
@property (nonatomic, readonly) NSInteger lastLoginDate;
@property (nonatomic, readonly, copy, nullable) NSArray<TCGBAuthMappingInfo *> *authList;
@property (nonatomic, readonly, strong, nullable) TCGBTemporaryWithdrawalInfo *temporaryWithdrawal;
@property (nonatomic, readonly, strong, nullable) TCGBGraceBanInfo *graceBanInfo;
@end

NS_ASSUME_NONNULL_END
#endif
