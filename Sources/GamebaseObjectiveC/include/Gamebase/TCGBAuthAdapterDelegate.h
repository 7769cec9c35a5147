#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBError.h>
#import <Gamebase/TCGBProviderAuthCredential.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// A game's own adapter for one identity provider, called on the main thread. It is registered by `addAuthAdapter:`.
@protocol TCGBAuthAdapterDelegate <NSObject>
- (void)loginWithSender:(nullable id)sender target:(nullable id <TCGBAuthAdapterDelegate>)target
    additionalInfo:(nullable NSDictionary<NSString *, id> *)additionalInfo
    viewController:(nullable UIViewController *)viewController
    completion:(void (^)(id _Nullable, TCGBError *_Nullable))completion;
- (void)logoutWithSender:(nullable id)sender target:(nullable id <TCGBAuthAdapterDelegate>)target
    completion:(void (^)(TCGBError *_Nullable))completion;
@optional
- (NSString *)providerName;
- (void)withdrawWithSender:(nullable id)sender target:(nullable id <TCGBAuthAdapterDelegate>)target
    completion:(void (^)(TCGBError *_Nullable))completion;
- (void)addMappingWithSender:(nullable id)sender target:(nullable id <TCGBAuthAdapterDelegate>)target
    additionalInfo:(nullable NSDictionary<NSString *, id> *)additionalInfo
    viewController:(nullable UIViewController *)viewController
    completion:(void (^)(id _Nullable, TCGBError *_Nullable))completion;
- (void)initializeWithOptions:(nullable NSDictionary<NSString *, id> *)options;
- (nullable TCGBProviderAuthCredential *)authInfosFromProvider;
- (nullable NSString *)accessToken;
- (nullable NSString *)userID;
- (nullable TCGBAuthProviderProfile *)profile;
+ (NSString *)versionString;
@end

NS_ASSUME_NONNULL_END
#endif
