// That Objective-C is there: what is for it alone is compiled.
public struct Selector {}
