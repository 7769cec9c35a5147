/// The state machine of a login at Game Center. The system calls its handler once, several times, or never; in every case a login ends
/// exactly once.
struct GameCenterFlow: Sendable {
    /// What the system's handler reports.
    enum Event: Sendable, Equatable {
        /// The system has a login page to show.
        case page
        case authenticated
        /// The player has dismissed the page. The system doesn't ask again until the game restarts.
        case cancelled
        case failed
        /// The handler has been silent for too long.
        case silence
        /// The game has cancelled the login.
        case abandoned
    }

    enum Step: Sendable, Equatable {
        case wait
        case show
        case end(Outcome)
    }

    enum Outcome: Sendable, Equatable {
        case authenticated
        case cancelled
        /// Only a change in the system's settings helps: ``ErrorCode/authIDPLoginExternalAuthenticationRequired`` (3203).
        case externalLoginRequired
        case failed
    }

    private enum State: Sendable { case idle, waiting, showing, ended }

    private var state = State.idle
    /// Whether the player has dismissed the system's page since the game started.
    private var isTurnedDown = false

    /// Starts a login.
    mutating func begin(isAuthenticated: Bool) -> Step {
        guard !isAuthenticated else {
            state = .ended
            return .end(.authenticated)
        }
        guard !isTurnedDown else {
            state = .ended
            return .end(.externalLoginRequired)
        }
        state = .waiting
        return .wait
    }

    mutating func take(_ event: Event) -> Step {
        if event == .cancelled { isTurnedDown = true }
        guard state == .waiting || state == .showing else { return .wait }
        switch event {
        case .page:
            state = .showing
            return .show
        case .authenticated: return end(.authenticated)
        case .cancelled: return end(state == .showing ? .cancelled : .externalLoginRequired)
        case .failed: return end(.failed)
        // Only the player closes an open page.
        case .silence: return state == .showing ? .wait : end(.externalLoginRequired)
        case .abandoned: return end(.cancelled)
        }
    }

    private mutating func end(_ outcome: Outcome) -> Step {
        state = .ended
        return .end(outcome)
    }
}
