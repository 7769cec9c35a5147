#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBError.h>
#import <Gamebase/TCGBValueObject.h>

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

/// Resolves 3302: the identity belongs to another member.
@interface TCGBForcingMappingTicket : TCGBValueObject
@property (nonatomic, readonly, copy) NSString *userId;
@property (nonatomic, readonly, copy) NSString *mappedUserId;
@property (nonatomic, readonly, copy) NSString *mappedUserValid;
@property (nonatomic, readonly, copy) NSString *idPCode;
@property (nonatomic, readonly, copy) NSString *forcingMappingKey;
@property (nonatomic, readonly) int64_t expirationDate;
@property (nonatomic, readonly, copy, nullable) NSString *accessToken;
+ (nullable TCGBForcingMappingTicket *)forcingMappingTicketFromError:(TCGBError *)error;
+ (nullable TCGBForcingMappingTicket *)forcingMappingTicketWithError:(TCGBError *)error
    TCGB_DEPRECATED("Use forcingMappingTicketFromError:.");
@end

NS_ASSUME_NONNULL_END
#endif
