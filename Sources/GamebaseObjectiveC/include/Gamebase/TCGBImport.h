// How Objective-C gets at Gamebase's classes, which are Swift's.
//
// With modules, which Xcode enables for .m files, the Swift module's own declarations are imported: a second declaration of a class
// would be an error where a game's generated header imports them as well. Without modules, as in .mm files, the declarations in these
// headers stand for them; `make lint` compares them with what the Swift compiler says.
#pragma once
#import <Foundation/Foundation.h>
#if __has_include(<UIKit/UIKit.h>)
#import <UIKit/UIKit.h>
#else
@class TCGBViewController;
typedef TCGBViewController UIViewController;
#endif
#import <Gamebase/TCGBConstants.h>

#if __has_feature(objc_modules) && !defined(GAMEBASE_WITHOUT_MODULES)
@import Gamebase;
#else
#define TCGB_DECLARES_CLASSES 1
#endif

#define TCGB_DEPRECATED(text) __attribute__((deprecated(text)))
