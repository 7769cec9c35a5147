#pragma once
#import <Gamebase/TCGBImport.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// The common class of Gamebase's values: each represents its JSON, and `description` is that JSON.
@interface TCGBValueObject : NSObject
- (instancetype)init __attribute__((unavailable("Gamebase makes it.")));
@property (nonatomic, readonly, copy) NSString *description;
- (NSString *)jsonString;
- (NSString *)prettyJsonString;
- (NSString *)JSONString;
- (NSString *)JSONPrettyString;
- (NSDictionary<NSString *, id> *)dictionary;
@end

NS_ASSUME_NONNULL_END
#endif
