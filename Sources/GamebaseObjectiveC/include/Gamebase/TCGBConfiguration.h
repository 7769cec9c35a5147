#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBAuthAdapterDelegate.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// The configuration of a game. Without `serverAddress`, the key GatehouseServerURL of Info.plist names the server.
@interface TCGBConfiguration : NSObject
- (instancetype)init __attribute__((unavailable("Gamebase makes it.")));
@property (nonatomic, readonly, copy) NSString *appID;
@property (nonatomic, readonly, copy) NSString *appVersion;
@property (nonatomic, readonly, copy, nullable) NSString *zoneType;
+ (TCGBConfiguration *)configurationWithAppID:(NSString *)appID appVersion:(NSString *)appVersion;
+ (TCGBConfiguration *)configurationWithAppID:(NSString *)appID appVersion:(NSString *)appVersion
    zoneType:(NSString *)zoneType;
@property (nonatomic, copy, nullable) NSURL *serverAddress;
- (void)enablePopup:(BOOL)isEnabled;
- (BOOL)isEnablePopup;
- (void)enableLaunchingStatusPopup:(BOOL)isEnabled;
- (BOOL)isEnableLaunchingStatusPopup;
- (void)enableBanPopup:(BOOL)isEnabled;
- (BOOL)isEnableBanPopup;
- (void)enableKickoutPopup:(BOOL)isEnabled TCGB_DEPRECATED("Kick-outs come as events: [TCGBGamebase addEventHandler:].");
- (void)setStoreCode:(NSString *)storeCode;
- (NSString *)storeCode;
- (void)setDisplayLanguageCode:(nullable NSString *)code;
- (nullable NSString *)displayLanguageCode;
- (void)addAuthAdapter:(id <TCGBAuthAdapterDelegate>)delegate;
@property (class, nonatomic, readonly, copy) NSString *serverAddressInfoKey;
@property (class, nonatomic, readonly, copy) NSString *serverAddressVariable;
@property (class, nonatomic, readonly, copy) NSString *callbackSchemeInfoKey;
@end

NS_ASSUME_NONNULL_END
#endif
