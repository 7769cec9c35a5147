#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBConstants.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// What a game fetches before anyone logs in.
@interface TCGBLaunching : NSObject
+ (TCGBLaunchingStatus)launchingStatus;
+ (nullable NSDictionary<NSString *, id> *)launchingInformations;
@end

NS_ASSUME_NONNULL_END
#endif
