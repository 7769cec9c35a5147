#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A lock, and a condition that threads wait for with the lock held.
///
/// Several threads may use it, as the operating system's lock and condition are made for that.
package final class ConditionLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }
    package func unlock() { pthread_mutex_unlock(mutex) }

    package func withLock<Value>(_ body: () throws -> Value) rethrows -> Value {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Gives the lock back until the condition is signalled, or earlier: the caller looks whether what it waits for is there.
    package func wait() { pthread_cond_wait(condition, mutex) }
    /// Wakes one thread that waits.
    package func signal() { pthread_cond_signal(condition) }
    /// Wakes all threads that wait.
    package func broadcast() { pthread_cond_broadcast(condition) }
}
