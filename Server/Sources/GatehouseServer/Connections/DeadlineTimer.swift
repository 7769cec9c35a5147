import NIOCore

/// The timer of a channel whose deadline moves with every request. Postponing a deadline costs nothing: when the timer fires early, it
/// finds that there is time left and is set again. So a busy connection sets a timer only now and then, and not twice for each request.
final class DeadlineTimer {
    private let eventLoop: any EventLoop
    private let expire: () -> Void
    private var deadline: NIODeadline?
    private var scheduled: (task: Scheduled<Void>, at: NIODeadline)?

    /// - Parameter expire: runs on the event loop when a deadline has passed.
    init(on eventLoop: any EventLoop, _ expire: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.expire = expire
    }

    /// - Parameter deadline: nil for no deadline.
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
