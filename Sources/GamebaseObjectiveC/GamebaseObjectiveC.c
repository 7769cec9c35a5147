// The header is all: SwiftPM wants a source beside it.
#include "GamebaseObjectiveC.h"
