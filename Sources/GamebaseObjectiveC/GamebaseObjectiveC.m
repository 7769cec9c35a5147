// The parts of Gamebase's API that Swift can't provide for Objective-C. On systems other than Apple's there is nothing to build.
#if __APPLE__ || defined(GAMEBASE_WITHOUT_MODULES)
#ifndef GAMEBASE_WITHOUT_MODULES
#define GAMEBASE_WITHOUT_MODULES 1
#endif
#import <Gamebase/TCGBUtil.h>

#define TCGB_LOG(level) \
    va_list arguments; \
    va_start(arguments, format); \
    NSString *text = [[NSString alloc] initWithFormat:format arguments:arguments]; \
    va_end(arguments); \
    [TCGBUtil logWithLevel:level string:text]

@implementation TCGBUtil (Log)

+ (void)logVerboseWithFormat:(NSString *)format, ... {
    TCGB_LOG(@"VERBOSE");
}

+ (void)logDebugWithFormat:(NSString *)format, ... {
    TCGB_LOG(@"DEBUG");
}

+ (void)logInfoWithFormat:(NSString *)format, ... {
    TCGB_LOG(@"INFO");
}

+ (void)logWarnWithFormat:(NSString *)format, ... {
    TCGB_LOG(@"WARN");
}

+ (void)logErrorWithFormat:(NSString *)format, ... {
    TCGB_LOG(@"ERROR");
}

@end
#endif
