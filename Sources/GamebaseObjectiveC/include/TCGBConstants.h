// For `#import "TCGBConstants.h"`.
#import <Gamebase/TCGBConstants.h>
