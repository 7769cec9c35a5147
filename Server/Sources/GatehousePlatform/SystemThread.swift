import Dispatch
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A thread of the operating system.
package enum SystemThread {
    /// The longest name that Linux takes.
    private static let longestName = 15

    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }

        static func run(_ pointer: UnsafeMutableRawPointer) {
            let body = Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue()
            #if canImport(Darwin)
            pthread_setname_np(body.name)
            #else
            // Swift does not see GNU's pthread_setname_np, which writes to this file, too.
            let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            if file >= 0 { try? OpenFile(descriptor: file).write(body.name.utf8.prefix(longestName)) }
            #endif
            body.run()
        }
    }

    /// Starts a thread that ends with its body.
    ///
    /// - Parameter stackBytes: the size of its stack; nil for the system's own.
    package static func start(_ name: String, stackBytes: Int? = nil, _ run: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
        let body = Unmanaged.passRetained(Body(name, run)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        let result = pthread_create(
            &thread, &attributes,
            {
                Body.run($0); return nil
            }, body)
        #else
        var thread = pthread_t()
        let result = pthread_create(
            &thread, &attributes,
            { pointer in
                if let pointer { Body.run(pointer) }
                return nil
            }, body)
        #endif
        guard result != 0 else { return }
        // The system has no thread left, and work that was asked for must not get lost: it waits for a thread of the pool.
        let waiting = Unmanaged<Body>.fromOpaque(body).takeRetainedValue()
        DispatchQueue.global().async(execute: waiting.run)
    }
}

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
