#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBConstants.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// The device's current network.
@interface TCGBNetwork : NSObject
+ (NetworkStatus)type;
+ (NSString *)typeName;
+ (BOOL)isConnected;
@end

NS_ASSUME_NONNULL_END
#endif
