#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBError.h>
#import <Gamebase/TCGBValueObject.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// Why and until when a player can't play. `endDate` is 0 for a permanent ban.
@interface TCGBBanInfo : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *userId;
@property (nonatomic, readonly, copy) NSString *banType;
@property (nonatomic, readonly, copy) NSString *message;
@property (nonatomic, readonly, copy, nullable) NSString *csInfo;
@property (nonatomic, readonly, copy, nullable) NSString *csUrl;
+ (nullable TCGBBanInfo *)banInfoFromError:(TCGBError *)error;
- (NSDictionary<NSString *, id> *)dictionaryOfBanInfo;
@property (nonatomic, readonly, strong) NSNumber *beginDate;
@property (nonatomic, readonly, strong) NSNumber *endDate;
@end

NS_ASSUME_NONNULL_END
#endif
