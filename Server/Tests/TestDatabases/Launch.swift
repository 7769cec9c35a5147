public import Foundation
import Synchronization

private let launching = Mutex(())

extension Process {
    /// Starts the process, one at a time: Foundation's `run` crashes when several threads are in it (Swift 6.3, Linux).
    public func launchAlone() throws {
        try launching.withLock { _ in try run() }
    }
}
