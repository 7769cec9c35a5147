#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBError.h>
#import <Gamebase/TCGBValueObject.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// This version of the game must be updated.
@interface TCGBUpdateInfo : TCGBValueObject
@property (nonatomic, readonly, copy, nullable) NSString *installUrl;
@property (nonatomic, readonly, copy, nullable) NSString *message;
+ (nullable TCGBUpdateInfo *)updateInfoFromError:(TCGBError *)error;
+ (nullable TCGBUpdateInfo *)updateInfoFromDictionary:(NSDictionary<NSString *, id> *)dictionary;
@end

NS_ASSUME_NONNULL_END
#endif
