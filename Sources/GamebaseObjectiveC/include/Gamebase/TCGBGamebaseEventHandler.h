#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBConstants.h>
#import <Gamebase/TCGBValueObject.h>

@class TCGBGamebaseEventMessage, TCGBServerPushMessage, TCGBObserverMessage;

typedef void (^GamebaseEventHandler)(TCGBGamebaseEventMessage *_Nonnull message) TCGB_NOT_FOR_SWIFT;
typedef void (^ServerPushEventHandler)(TCGBServerPushMessage *_Nonnull message) TCGB_NOT_FOR_SWIFT;
typedef void (^ObserverHandler)(TCGBObserverMessage *_Nonnull message) TCGB_NOT_FOR_SWIFT;

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// An event: its category is one of the constants, its data JSON.
@interface TCGBGamebaseEventMessage : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *category;
@property (nonatomic, readonly, copy, nullable) NSString *data;
+ (TCGBGamebaseEventMessage *)gamebaseEventMessageFromJsonString:(nullable NSString *)jsonString;
@end

/// The data of the observer categories.
@interface TCGBGamebaseEventObserverData : TCGBValueObject
@property (nonatomic, readonly) int64_t code;
@property (nonatomic, readonly, copy, nullable) NSString *message;
@property (nonatomic, readonly, copy, nullable) NSString *extras;
+ (TCGBGamebaseEventObserverData *)gamebaseEventObserverDataFromJsonString:(nullable NSString *)jsonString;
@end

/// The data of `loggedOut`.
@interface TCGBGamebaseEventLoggedOutData : TCGBValueObject
@property (nonatomic, readonly, copy, nullable) NSString *message;
@property (nonatomic, readonly, copy, nullable) NSString *extras;
+ (TCGBGamebaseEventLoggedOutData *)gamebaseEventLoggedOutDataFromJsonString:(nullable NSString *)jsonString;
@end

/// The data of `idPRevoked`. Its code is a `TCGBIdPRevokedCode`.
@interface TCGBGamebaseEventIdPRevokedData : TCGBValueObject
@property (nonatomic, readonly) int64_t code;
@property (nonatomic, readonly, copy) NSString *idPType;
@property (nonatomic, readonly, copy) NSArray<NSString *> *authMappingList;
@property (nonatomic, readonly, copy, nullable) NSString *extras;
+ (TCGBGamebaseEventIdPRevokedData *)gamebaseEventIdPRevokedDataFromJsonString:(nullable NSString *)jsonString;
@end

/// The data of the server push categories.
@interface TCGBGamebaseEventServerPushData : TCGBValueObject
@property (nonatomic, readonly, copy, nullable) NSDictionary<NSString *, id> *popup;
@property (nonatomic, readonly, copy, nullable) NSString *extras;
+ (TCGBGamebaseEventServerPushData *)gamebaseEventServerPushDataFromJsonString:(nullable NSString *)jsonString;
@end

/// An event in the form of older versions.
@interface TCGBServerPushMessage : NSObject
- (instancetype)init __attribute__((unavailable("Gamebase makes it.")));
@property (nonatomic, readonly, copy) NSString *type;
@property (nonatomic, readonly, copy) NSString *data;
@end

/// An event in the form of older versions.
@interface TCGBObserverMessage : NSObject
- (instancetype)init __attribute__((unavailable("Gamebase makes it.")));
@property (nonatomic, readonly, copy) NSString *type;
@property (nonatomic, readonly, copy) NSDictionary<NSString *, id> *data;
@end

NS_ASSUME_NONNULL_END
#endif
