#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBConstants.h>

typedef void (^changedStatusNotificationHandler)(NSDictionary<NSString *, id> *_Nonnull launchingStatus) TCGB_NOT_FOR_SWIFT;

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// What a game fetches before anyone logs in.
@interface TCGBLaunching : NSObject
+ (TCGBLaunchingStatus)launchingStatus;
+ (nullable NSDictionary<NSString *, id> *)launchingInformations;
+ (BOOL)addObserverOnChangedStatusNotification:(changedStatusNotificationHandler)handler
    TCGB_DEPRECATED("Use TCGBGamebase's addEventHandler:.");
+ (BOOL)removeObserverOnChangedStatusNotification:(changedStatusNotificationHandler)handler
    TCGB_DEPRECATED("Use TCGBGamebase's removeEventHandler:.");
@end

NS_ASSUME_NONNULL_END
#endif
