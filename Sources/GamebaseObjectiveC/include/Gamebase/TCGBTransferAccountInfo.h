#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBError.h>
#import <Gamebase/TCGBValueObject.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

@class TCGBTransferAccountInfoAccount, TCGBTransferAccountInfoCondition;

typedef NS_ENUM(NSInteger, TCGBTransferAccountRenewalModeType) {
    TCGBTransferAccountRenewalModeTypeAuto = 0,
    TCGBTransferAccountRenewalModeTypeManual = 1,
};

typedef NS_ENUM(NSInteger, TCGBTransferAccountRenewalTargetType) {
    TCGBTransferAccountRenewalTargetTypePassword = 0,
    TCGBTransferAccountRenewalTargetTypeIdPassword = 1,
};

/// An id and a password that move a guest to another device.
@interface TCGBTransferAccountInfo : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *issuedType;
@property (nonatomic, readonly, strong) TCGBTransferAccountInfoAccount *account;
@property (nonatomic, readonly, strong) TCGBTransferAccountInfoCondition *condition;
@end

/// The password is present only at issue and renewal.
@interface TCGBTransferAccountInfoAccount : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *accountId;
@property (nonatomic, readonly, copy, nullable) NSString *accountPassword;
@end

/// `expirationDate` is 0 if the account doesn't expire.
@interface TCGBTransferAccountInfoCondition : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *transferAccountType;
@property (nonatomic, readonly, copy) NSString *expirationType;
@property (nonatomic, readonly) int64_t expirationDate;
@end

/// A transfer that is blocked. It comes with error 3042.
@interface TCGBTransferAccountFailInfo : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *appId;
@property (nonatomic, readonly, copy) NSString *accountId;
@property (nonatomic, readonly, copy) NSString *status;
@property (nonatomic, readonly) NSInteger failCount;
@property (nonatomic, readonly) int64_t blockEndDate;
@property (nonatomic, readonly) int64_t regDate;
+ (nullable TCGBTransferAccountFailInfo *)transferAccountFailInfoFrom:(TCGBError *)error;
+ (nullable TCGBTransferAccountFailInfo *)transferAccountFailInfoFromError:(TCGBError *)error;
+ (nullable TCGBTransferAccountFailInfo *)resultWithTCGBError:(TCGBError *)error
    TCGB_DEPRECATED("Use transferAccountFailInfoFromError:.");
@end

/// How a transfer account is renewed.
@interface TCGBTransferAccountRenewConfiguration : TCGBValueObject
@property (nonatomic, readonly) TCGBTransferAccountRenewalModeType renewalMode;
@property (nonatomic, readonly) TCGBTransferAccountRenewalTargetType renewalTarget;
@property (nonatomic, readonly, copy, nullable) NSString *accountId;
@property (nonatomic, readonly, copy, nullable) NSString *accountPassword;
+ (TCGBTransferAccountRenewConfiguration *)autoRenewConfigurationWithRenewalTarget:(TCGBTransferAccountRenewalTargetType)renewalTarget;
+ (TCGBTransferAccountRenewConfiguration *)manualRenewConfigurationWithAccountPassword:(NSString *)accountPassword;
+ (TCGBTransferAccountRenewConfiguration *)manualRenewConfigurationWithAccountId:(NSString *)accountId
    accountPassword:(NSString *)accountPassword;
@end

/// A key of eight letters that moves a guest (SDK 1.x).
@interface TCGBTransferKeyInfo : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *transferKey;
@property (nonatomic, readonly) NSInteger regDate;
@property (nonatomic, readonly) NSInteger expireDate;
@property (nonatomic, readonly) NSInteger legDate TCGB_DEPRECATED("It was misspelled. Use regDate.");
+ (TCGBTransferKeyInfo *)transferKeyInfoWithDictionary:(NSDictionary<NSString *, id> *)dictionary;
+ (TCGBTransferKeyInfo *)transferKeyInfoWithJSONString:(NSString *)jsonString;
@end

NS_ASSUME_NONNULL_END
#endif
