#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBConstants.h>

typedef void (^NetworkChangedHandler)(NetworkStatus status) TCGB_NOT_FOR_SWIFT;

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// The device's current network.
@interface TCGBNetwork : NSObject
+ (NetworkStatus)type;
+ (NSString *)typeName;
+ (BOOL)isConnected;
+ (BOOL)addObserverOnChangedNetworkStatusWithHandler:(NetworkChangedHandler)handler
    TCGB_DEPRECATED("Use TCGBGamebase's addEventHandler:.");
+ (BOOL)removeObserverOnChangedNetworkStatusWithHandler:(NetworkChangedHandler)handler
    TCGB_DEPRECATED("Use TCGBGamebase's removeEventHandler:.");
@end

NS_ASSUME_NONNULL_END
#endif
