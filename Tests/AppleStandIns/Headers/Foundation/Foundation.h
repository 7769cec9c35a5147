// The parts of Apple's Foundation that Gamebase's headers and a game's Objective-C use, as names and types only.
#pragma once
#include <stdarg.h>
#include <stdint.h>

#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_ENUM(type, name) enum name : type name; enum name : type
#define NS_FORMAT_FUNCTION(text, values) __attribute__((format(__NSString__, text, values)))
#define nil ((id)0)
#define YES __objc_yes
#define NO __objc_no

typedef signed char BOOL;
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;

@class NSString;

@protocol NSObject
- (BOOL)isEqual:(id)object;
@end

@protocol NSCopying
@end

__attribute__((objc_root_class)) @interface NSObject <NSObject>
+ (instancetype)alloc;
+ (instancetype)new;
- (instancetype)init;
@property (readonly, copy) NSString *description;
@end

@interface NSString : NSObject <NSCopying>
- (instancetype)initWithFormat:(NSString *)format arguments:(va_list)arguments;
- (BOOL)isEqualToString:(NSString *)string;
@property (readonly, copy) NSString *stringByRemovingPercentEncoding;
@end

@interface NSNumber : NSObject
+ (NSNumber *)numberWithInt:(int)value;
+ (NSNumber *)numberWithBool:(BOOL)value;
@property (readonly) long long longLongValue;
@end

@interface NSArray<__covariant Object> : NSObject
@property (readonly) NSUInteger count;
- (Object)objectAtIndexedSubscript:(NSUInteger)index;
@end

@interface NSSet<__covariant Object> : NSObject
@end

@interface NSDictionary<__covariant Key, __covariant Object> : NSObject
+ (instancetype)dictionary;
+ (instancetype)dictionaryWithObjects:(const Object[])objects forKeys:(const Key[])keys count:(NSUInteger)count;
- (Object)objectForKey:(Key)key;
- (Object)objectForKeyedSubscript:(Key)key;
@end

@interface NSMutableDictionary<Key, Object> : NSDictionary <Key, Object>
- (void)setObject:(Object)object forKeyedSubscript:(Key)key;
- (void)setValue:(Object)value forKey:(NSString *)key;
@end

@interface NSDate : NSObject
+ (instancetype)dateWithTimeIntervalSince1970:(NSTimeInterval)seconds;
@end

@interface NSURL : NSObject
+ (instancetype)URLWithString:(NSString *)string;
@end

@interface NSError : NSObject
@property (readonly) NSInteger code;
@property (readonly, copy) NSString *domain;
@property (readonly, copy) NSString *localizedDescription;
@property (readonly, copy) NSDictionary *userInfo;
@end

@interface NSUserActivity : NSObject
@end

extern NSString *const NSUnderlyingErrorKey;
#ifdef __cplusplus
extern "C"
#endif
    void
    NSLog(NSString *format, ...) NS_FORMAT_FUNCTION(1, 2);
