#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBConstants.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// The network that the device has now.
@interface TCGBNetwork : NSObject
+ (NetworkStatus)type;
+ (NSString *)typeName;
+ (BOOL)isConnected;
@end

NS_ASSUME_NONNULL_END
#endif
