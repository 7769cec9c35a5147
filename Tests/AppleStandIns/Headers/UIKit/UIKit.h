// What Gamebase's headers and a game's Objective-C use of Apple's UIKit, in name and type only.
#pragma once
#import <Foundation/Foundation.h>

@interface UIResponder : NSObject
@end

@interface UIViewController : UIResponder
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
