// Makes Objective-C available, so that code for it alone is compiled.
public struct Selector {}
