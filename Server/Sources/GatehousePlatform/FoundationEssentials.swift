// The rest of Foundation would bring ICU's data for every language, 50 MB, into the program. The compiler refuses it, because the server's
// modules import this one in its place. Apple's systems have both in one library, of which nothing is linked into the program.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
// The C library, which Foundation has in it, too.
#if canImport(Darwin)
@_exported public import Darwin
#else
@_exported public import Glibc
#endif
