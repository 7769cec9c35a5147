#pragma once
#import <Gamebase/TCGBImport.h>
#import <Gamebase/TCGBConstants.h>

typedef void (^alertActionBlock)(id _Nonnull buttonTitle) TCGB_NOT_FOR_SWIFT;

#ifdef TCGB_DECLARES_CLASSES
NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, GamebaseToastLength) {
    GamebaseToastLengthShort = 0,
    GamebaseToastLengthLong = 1,
};

/// Utilities that games and plug-ins use besides a login.
@interface TCGBUtil : NSObject
+ (nullable id)extractValueFromJson:(NSDictionary *)json searchString:(NSString *)searchString;
+ (void)showAlertWithTitle:(nullable NSString *)title message:(nullable NSString *)message
    completion:(void (^ _Nullable)(void))completion;
+ (void)showAlertWithTitle:(nullable NSString *)title message:(nullable NSString *)message;
+ (void)showAlertWithTitle:(nullable NSString *)title message:(nullable NSString *)message
    positiveTitle:(NSString *)positiveTitle positiveBlock:(nullable alertActionBlock)positiveBlock
    negativeTitle:(NSString *)negativeTitle negativeBlock:(nullable alertActionBlock)negativeBlock;
+ (void)showActionSheetWithTitle:(nullable NSString *)title message:(nullable NSString *)message
    blocks:(NSDictionary<NSString *, void (^)(UIAlertAction *)> *)blocks;
+ (void)showToastWithMessage:(NSString *)message length:(GamebaseToastLength)length;
+ (void)showToastWithMessage:(NSString *)message
    duration:(NSInteger)duration TCGB_DEPRECATED("Use showToastWithMessage:length:.");
+ (void)showToastMessage:(NSString *)message
    duration:(NSInteger)duration TCGB_DEPRECATED("Use showToastWithMessage:length:.");
+ (void)logWithString:(NSString *)string;
+ (void)logWithLevel:(NSString *)level string:(NSString *)string;
@end

NS_ASSUME_NONNULL_END
#endif

/// Write lines for developers to the standard error, in debug mode only; warnings and errors are always written. Swift can't declare
/// methods with any number of arguments for Objective-C, so they are implemented in this package.
@interface TCGBUtil (Log)
+ (void)logVerboseWithFormat:(NSString *_Nonnull)format, ... NS_FORMAT_FUNCTION(1, 2);
+ (void)logDebugWithFormat:(NSString *_Nonnull)format, ... NS_FORMAT_FUNCTION(1, 2);
+ (void)logInfoWithFormat:(NSString *_Nonnull)format, ... NS_FORMAT_FUNCTION(1, 2);
+ (void)logWarnWithFormat:(NSString *_Nonnull)format, ... NS_FORMAT_FUNCTION(1, 2);
+ (void)logErrorWithFormat:(NSString *_Nonnull)format, ... NS_FORMAT_FUNCTION(1, 2);
@end
