// The parts of Apple's UIKit that Gamebase's headers and a game's Objective-C use, as names and types only.
#pragma once
#import <Foundation/Foundation.h>

@interface UIResponder : NSObject
@end

@interface UIViewController : UIResponder
@end

@interface UIAlertAction : NSObject
@end

@interface UIApplication : UIResponder
@end

@protocol UIApplicationDelegate <NSObject>
@end

@interface UIScene : UIResponder
@end

@interface UISceneSession : NSObject
@end

@interface UISceneConnectionOptions : NSObject
@end

@interface UIOpenURLContext : NSObject
@end

@protocol UIUserActivityRestoring <NSObject>
@end
