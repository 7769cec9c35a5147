#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBAuthToken.h>
#import <Gamebase/TCGBBanInfo.h>
#import <Gamebase/TCGBConfiguration.h>
#import <Gamebase/TCGBError.h>
#import <Gamebase/TCGBForcingMappingTicket.h>
#import <Gamebase/TCGBGamebaseEventHandler.h>
#import <Gamebase/TCGBMigrationFailInfo.h>
#import <Gamebase/TCGBTransferAccountInfo.h>

// The completions of calls.
typedef NSDictionary *LaunchingInfo TCGB_NOT_FOR_SWIFT;
typedef void (^InitializeCompletion)(NSDictionary *_Nullable launchingData, TCGBError *_Nullable error) TCGB_NOT_FOR_SWIFT;
typedef void (^LoginCompletion)(TCGBAuthToken *_Nullable authToken, TCGBError *_Nullable error) TCGB_NOT_FOR_SWIFT;
typedef void (^LogoutCompletion)(TCGBError *_Nullable error) TCGB_NOT_FOR_SWIFT;
typedef void (^WithdrawCompletion)(TCGBError *_Nullable error) TCGB_NOT_FOR_SWIFT;
typedef void (^TemporaryWithdrawCompletion)(
    TCGBTemporaryWithdrawalInfo *_Nullable info, TCGBError *_Nullable error) TCGB_NOT_FOR_SWIFT;
typedef void (^RemoveMappingCompletion)(TCGBError *_Nullable error) TCGB_NOT_FOR_SWIFT;
typedef void (^TransferAccountCompletion)(
    TCGBTransferAccountInfo *_Nullable transferAccount, TCGBError *_Nullable error) TCGB_NOT_FOR_SWIFT;
typedef void (^TransferKeyCompletion)(
    TCGBTransferKeyInfo *_Nullable transferKey, TCGBError *_Nullable error) TCGB_NOT_FOR_SWIFT;

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// Gamebase's API over Gatehouse. Every method returns at once; a completion is called exactly once, on the main thread.
@interface TCGBGamebase : NSObject

#pragma mark Start, and what is known without a call

+ (void)initializeWithConfiguration:(TCGBConfiguration *)configuration
    completion:(nullable InitializeCompletion)completion;
+ (void)initializeWithConfiguration:(TCGBConfiguration *)configuration
    launchOptions:(nullable NSDictionary *)launchOptions completion:(nullable InitializeCompletion)completion;
+ (BOOL)isSuccessWithError:(nullable TCGBError *)error;
+ (void)setDebugMode:(BOOL)isDebugMode;
+ (BOOL)isDebugMode;
+ (NSString *)SDKVersion;
+ (nullable NSString *)appID;
+ (BOOL)isSandbox;
+ (nullable NSString *)userID;
+ (nullable NSString *)accessToken;
+ (nullable NSString *)lastLoggedInProvider;
+ (nullable NSString *)currentProvider;
+ (nullable NSArray<NSString *> *)authMappingList;

#pragma mark Languages and places

+ (NSString *)deviceLanguageCode;
+ (void)setDisplayLanguageCode:(NSString *)languageCode;
+ (nullable NSString *)displayLanguageCode;
+ (NSString *)countryCode;
+ (NSString *)countryCodeOfDevice;
+ (NSString *)countryCodeOfUSIM;
+ (nullable NSString *)carrierCode;
+ (nullable NSString *)carrierName;

#pragma mark Login

+ (void)loginWithType:(NSString *)type additionalInfo:(nullable NSDictionary<NSString *, id> *)additionalInfo
    viewController:(nullable UIViewController *)viewController completion:(nullable LoginCompletion)completion;
+ (void)loginWithType:(NSString *)type viewController:(nullable UIViewController *)viewController
    completion:(nullable LoginCompletion)completion;
+ (void)loginWithCredential:(NSDictionary *)credential viewController:(nullable UIViewController *)viewController
    completion:(nullable LoginCompletion)completion;
+ (void)loginForLastLoggedInProviderWithViewController:(nullable UIViewController *)viewController
    completion:(nullable LoginCompletion)completion;
+ (void)logoutWithViewController:(nullable UIViewController *)viewController
    completion:(nullable LogoutCompletion)completion;

#pragma mark Mapping

+ (void)addMappingWithType:(NSString *)type additionalInfo:(nullable NSDictionary<NSString *, id> *)additionalInfo
    viewController:(nullable UIViewController *)viewController completion:(nullable LoginCompletion)completion;
+ (void)addMappingWithType:(NSString *)type viewController:(nullable UIViewController *)viewController
    completion:(nullable LoginCompletion)completion;
+ (void)addMappingWithCredential:(NSDictionary *)credential
    viewController:(nullable UIViewController *)viewController completion:(nullable LoginCompletion)completion;
+ (void)addMappingForciblyWithTicket:(TCGBForcingMappingTicket *)ticket
    viewController:(nullable UIViewController *)viewController completion:(nullable LoginCompletion)completion;
+ (void)changeLoginWithForcingMappingTicket:(TCGBForcingMappingTicket *)forcingMappingTicket
    viewController:(nullable UIViewController *)viewController completion:(nullable LoginCompletion)completion;
+ (void)removeMappingWithType:(NSString *)type viewController:(nullable UIViewController *)viewController
    completion:(nullable RemoveMappingCompletion)completion;

#pragma mark Transfer

+ (void)issueTransferAccountWithCompletion:(nullable TransferAccountCompletion)completion;
+ (void)queryTransferAccountWithCompletion:(nullable TransferAccountCompletion)completion;
+ (void)renewTransferAccountWithConfiguration:(TCGBTransferAccountRenewConfiguration *)configuration
    completion:(nullable TransferAccountCompletion)completion;
+ (void)transferAccountWithIdPLoginWithAccountId:(NSString *)accountId accountPassword:(NSString *)accountPassword
    completion:(nullable LoginCompletion)completion;

#pragma mark Players of NHN's Gamebase

+ (void)migrateWithUserId:(NSString *)userId accessToken:(NSString *)accessToken
    completion:(nullable LoginCompletion)completion;
+ (void)migrateWithUserId:(NSString *)userId accessToken:(NSString *)accessToken source:(NSString *)source
    replacingGuest:(BOOL)replacingGuest completion:(nullable LoginCompletion)completion;
+ (void)migrateWithAccountId:(NSString *)accountId accountPassword:(NSString *)accountPassword
    completion:(nullable LoginCompletion)completion;
+ (void)migrateWithAccountId:(NSString *)accountId accountPassword:(NSString *)accountPassword
    source:(NSString *)source replacingGuest:(BOOL)replacingGuest completion:(nullable LoginCompletion)completion;

#pragma mark Withdrawal

+ (void)withdrawWithViewController:(nullable UIViewController *)viewController
    completion:(nullable WithdrawCompletion)completion;
+ (void)withdrawImmediatelyWithViewController:(nullable UIViewController *)viewController
    completion:(nullable WithdrawCompletion)completion;
+ (void)requestTemporaryWithdrawalWithViewController:(nullable UIViewController *)viewController
    completion:(nullable TemporaryWithdrawCompletion)completion;
+ (void)cancelTemporaryWithdrawalWithViewController:(nullable UIViewController *)viewController
    completion:(nullable WithdrawCompletion)completion;

#pragma mark Events

+ (void)addEventHandler:(GamebaseEventHandler)handler;
+ (void)removeEventHandler:(GamebaseEventHandler)handler;
+ (void)removeAllEventHandler;
@end

#if __has_include(<UIKit/UIKit.h>)
/// The game's life-cycle events. Gatehouse does not need them: the methods exist so that a game's delegate builds unchanged.
@interface TCGBGamebase (LifeCycle)
+ (BOOL)application:(UIApplication *)application willFinishLaunchingWithOptions:(nullable NSDictionary *)launchOptions;
+ (BOOL)application:(UIApplication *)application didFinishLaunchingWithOptions:(nullable NSDictionary *)launchOptions;
+ (BOOL)application:(UIApplication *)application openURL:(NSURL *)url options:(NSDictionary *)options;
+ (BOOL)application:(UIApplication *)application openURL:(NSURL *)url
    sourceApplication:(nullable NSString *)sourceApplication annotation:(id)annotation;
+ (BOOL)application:(UIApplication *)application continueUserActivity:(NSUserActivity *)userActivity
    restorationHandler:(void (^)(NSArray<id<UIUserActivityRestoring>> *_Nullable))restorationHandler;
+ (void)applicationDidBecomeActive:(UIApplication *)application;
+ (void)applicationDidEnterBackground:(UIApplication *)application;
+ (void)applicationWillEnterForeground:(UIApplication *)application;
+ (void)applicationWillResignActive:(UIApplication *)application;
+ (void)applicationWillTerminate:(UIApplication *)application;
+ (void)applicationDidReceiveMemoryWarning:(UIApplication *)application;
+ (void)applicationSignificantTimeChange:(UIApplication *)application;
+ (void)applicationProtectedDataWillBecomeUnavailable:(UIApplication *)application;
+ (void)applicationProtectedDataDidBecomeAvailable:(UIApplication *)application;
+ (void)application:(UIApplication *)application didDiscardSceneSessions:(NSSet<UISceneSession *> *)sceneSessions;
+ (void)scene:(UIScene *)scene willConnectToSession:(UISceneSession *)session
    options:(UISceneConnectionOptions *)connectionOptions;
+ (void)sceneDidDisconnect:(UIScene *)scene;
+ (void)scene:(UIScene *)scene openURLContexts:(NSSet<UIOpenURLContext *> *)contexts;
+ (void)sceneDidBecomeActive:(UIScene *)scene;
+ (void)sceneDidEnterBackground:(UIScene *)scene;
+ (void)sceneWillEnterForeground:(UIScene *)scene;
@end
#endif

/// Methods of older versions.
@interface TCGBGamebase (Deprecated)
+ (void)issueTransferKeyWithExpiresIn:(NSInteger)expiresIn
    completion:(nullable TransferKeyCompletion)completion TCGB_DEPRECATED("Use issueTransferAccountWithCompletion:.");
+ (void)requestTransferWithTransferKey:(NSString *)transferKey
    completion:(nullable LoginCompletion)completion
    TCGB_DEPRECATED("Use transferAccountWithIdPLoginWithAccountId:accountPassword:completion:.");
+ (nullable NSString *)authProviderUserIDWithIDPCode:(NSString *)idPCode
    TCGB_DEPRECATED("Ask on the game's server: the Server API's Get IdP Token and Profiles.");
+ (nullable NSString *)authProviderAccessTokenWithIDPCode:(NSString *)idPCode
    TCGB_DEPRECATED("Ask on the game's server: the Server API's Get IdP Token and Profiles.");
+ (nullable TCGBAuthProviderProfile *)authProviderProfileWithIDPCode:(NSString *)idPCode
    TCGB_DEPRECATED("Ask on the game's server: the Server API's Get IdP Token and Profiles.");
+ (nullable TCGBBanInfo *)banInfo TCGB_DEPRECATED("Read the ban from the error: [TCGBBanInfo banInfoFromError:].");
+ (NSString *)languageCode TCGB_DEPRECATED("Use deviceLanguageCode.");
+ (void)addMappingForciblyWithType:(NSString *)type forcingMappingKey:(NSString *)forcingMappingKey
    viewController:(nullable UIViewController *)viewController
    completion:(nullable LoginCompletion)completion
    TCGB_DEPRECATED("Use addMappingForciblyWithTicket:viewController:completion:.");
+ (void)addMappingForciblyWithType:(NSString *)type forcingMappingKey:(NSString *)forcingMappingKey
    additionalInfo:(nullable NSDictionary<NSString *, id> *)additionalInfo
    viewController:(nullable UIViewController *)viewController
    completion:(nullable LoginCompletion)completion
    TCGB_DEPRECATED("Use addMappingForciblyWithTicket:viewController:completion:.");
+ (void)addMappingWithCredential:(NSDictionary *)credential forcingMappingKey:(NSString *)forcingMappingKey
    viewController:(nullable UIViewController *)viewController
    completion:(nullable LoginCompletion)completion
    TCGB_DEPRECATED("Use addMappingForciblyWithTicket:viewController:completion:.");
+ (void)addServerPushEvent:(ServerPushEventHandler)handler TCGB_DEPRECATED("Use addEventHandler:.");
+ (void)removeServerPushEvent:(ServerPushEventHandler)handler TCGB_DEPRECATED("Use removeEventHandler:.");
+ (void)removeAllServerPushEvent TCGB_DEPRECATED("Use removeAllEventHandler.");
+ (void)addObserver:(ObserverHandler)handler TCGB_DEPRECATED("Use addEventHandler:.");
+ (void)removeObserver:(ObserverHandler)handler TCGB_DEPRECATED("Use removeEventHandler:.");
+ (void)removeAllObserver TCGB_DEPRECATED("Use removeAllEventHandler.");
@end

NS_ASSUME_NONNULL_END
#endif
