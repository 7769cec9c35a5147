#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBError.h>
#import <Gamebase/TCGBValueObject.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// Why a player of NHN's Gamebase does not come to this device. It comes with error 3201.
@interface TCGBMigrationFailInfo : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *reason;
@property (nonatomic, readonly, copy, nullable) NSArray<NSString *> *providers;
+ (nullable TCGBMigrationFailInfo *)migrationFailInfoFromError:(TCGBError *)error;
@end

NS_ASSUME_NONNULL_END
#endif
