import NIOCore

/// The timer of a channel whose deadline moves with every request. A deadline that moves away costs nothing: the timer that is
/// set finds out when it fires that there is time left, and is set again. So a busy connection sets one now and then and not two
/// for each request.
final class DeadlineTimer {
    private let eventLoop: any EventLoop
    private let expire: () -> Void
    private var deadline: NIODeadline?
    private var scheduled: (task: Scheduled<Void>, at: NIODeadline)?

    /// - Parameter expire: what is done, on the event loop, once a deadline has passed.
    init(on eventLoop: any EventLoop, _ expire: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.expire = expire
    }

    /// - Parameter deadline: nil for none.
    func set(_ deadline: NIODeadline?) {
        self.deadline = deadline
        guard let deadline else { return }
        if let scheduled {
            if scheduled.at <= deadline { return }
            scheduled.task.cancel()
        }
        schedule(deadline)
    }

    func cancel() {
        deadline = nil
        scheduled?.task.cancel()
        scheduled = nil
    }

    private func schedule(_ deadline: NIODeadline) {
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] () -> Void in self?.fire()
        }
        scheduled = (task, deadline)
    }

    private func fire() {
        scheduled = nil
        guard let deadline else { return }
        guard eventLoop.now >= deadline else { return schedule(deadline) }
        self.deadline = nil
        expire()
    }
}
