// Makes Gamebase's classes, which are written in Swift, available to Objective-C.
//
// With modules, which Xcode enables for .m files, the Swift module's own declarations are imported: a second declaration of a class
// would be an error when a game's generated header imports them too. Without modules, as in .mm files, the declarations in these
// headers are used instead; `make apple` compares them with the Swift compiler's.
#pragma once
#import <Foundation/Foundation.h>
#if __has_include(<UIKit/UIKit.h>)
#import <UIKit/UIKit.h>
#else
@class TCGBViewController;
typedef TCGBViewController UIViewController;
@class TCGBAlertAction;
typedef TCGBAlertAction UIAlertAction;
#endif
#import <Gamebase/TCGBConstants.h>

#if __has_feature(objc_modules) && !defined(GAMEBASE_WITHOUT_MODULES)
@import Gamebase;
#else
#define TCGB_DECLARES_CLASSES 1
#endif

#define TCGB_DEPRECATED(text) __attribute__((deprecated(text)))
