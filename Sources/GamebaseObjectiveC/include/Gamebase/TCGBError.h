#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBConstants.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// Every failure that a game receives. `description` is for logs; `jsonString` also has the key of a ticket.
@interface TCGBError : NSError
@property (nonatomic, readonly, copy) NSString *message;
@property (nonatomic, readonly, copy, nullable) NSString *transactionId;
- (NSInteger)detailErrorCode;
- (nullable NSString *)detailErrorMessage;
@property (nonatomic, readonly, copy) NSDictionary<NSString *, NSString *> *extras;
- (NSString *)jsonString;
- (NSString *)prettyJsonString;
@property (nonatomic, readonly, copy) NSString *description;
+ (TCGBError *)resultWithCode:(NSInteger)code;
+ (TCGBError *)resultWithCode:(NSInteger)code message:(nullable NSString *)message;
+ (TCGBError *)resultWithDomain:(NSString *)domain code:(NSInteger)code
    userInfo:(nullable NSDictionary<NSString *, id> *)userInfo;
+ (TCGBError *)resultWithDomain:(NSString *)domain code:(NSInteger)code description:(nullable NSString *)description
    underlyingError:(nullable NSError *)underlyingError;
+ (TCGBError *)errorWithError:(NSError *)error transactionId:(nullable NSString *)transactionId;
@end

NS_ASSUME_NONNULL_END
#endif
