#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBValueObject.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

@class TCGBPaymentStatus, TCGBReleaseRuleCondition;

/// A withdrawal that is pending.
@interface TCGBTemporaryWithdrawalInfo : TCGBValueObject
@property (nonatomic, readonly) NSInteger gracePeriodDate;
+ (TCGBTemporaryWithdrawalInfo *)temporaryWithdrawalInfoWithDictionary:(NSDictionary<NSString *, id> *)dictionary;
+ (TCGBTemporaryWithdrawalInfo *)temporaryWithdrawalInfoWithJSONString:(NSString *)jsonString;
@end

/// A grace ban. The message is percent-encoded.
@interface TCGBGraceBanInfo : TCGBValueObject
@property (nonatomic, readonly) int64_t gracePeriodDate;
@property (nonatomic, readonly, copy) NSString *message;
@property (nonatomic, readonly, strong, nullable) TCGBPaymentStatus *paymentStatus;
@property (nonatomic, readonly, strong, nullable) TCGBReleaseRuleCondition *releaseRuleCondition;
+ (TCGBGraceBanInfo *)graceBanInfoWithDictionary:(NSDictionary<NSString *, id> *)dictionary;
+ (TCGBGraceBanInfo *)graceBanInfoWithJSONString:(NSString *)jsonString;
@end

/// The payments since a grace ban began.
@interface TCGBPaymentStatus : TCGBValueObject
@property (nonatomic, readonly) double amount;
@property (nonatomic, readonly) int32_t count;
@property (nonatomic, readonly, copy) NSString *currency;
+ (TCGBPaymentStatus *)paymentStatusWithDictionary:(NSDictionary<NSString *, id> *)dictionary;
+ (TCGBPaymentStatus *)paymentStatusWithJSONString:(NSString *)jsonString;
@end

/// The payments that release a grace ban: `AND` or `OR`.
@interface TCGBReleaseRuleCondition : TCGBValueObject
@property (nonatomic, readonly) double amount;
@property (nonatomic, readonly) int32_t count;
@property (nonatomic, readonly, copy) NSString *currency;
@property (nonatomic, readonly, copy) NSString *conditionType;
+ (TCGBReleaseRuleCondition *)releaseRuleConditionWithDictionary:(NSDictionary<NSString *, id> *)dictionary;
+ (TCGBReleaseRuleCondition *)releaseRuleConditionWithJSONString:(NSString *)jsonString;
@end

NS_ASSUME_NONNULL_END
#endif
