import Foundation

/// How often the calling thread has waited for something, such as a disk. It has not waited when another thread has taken its processor.
enum ThreadWaits {
    static var count: Int {
        #if os(Linux)
        var usage = rusage()
        // RUSAGE_THREAD has the value 1, and the C library's header shows its name only to GNU programs.
        return getrusage(__rusage_who_t(1), &usage) == 0 ? usage.ru_nvcsw : 0
        #else
        // No other system tells this of one thread, so each slow read counts as one that has waited.
        return Int(truncatingIfNeeded: MonotonicClock.nanoseconds)
        #endif
    }
}
