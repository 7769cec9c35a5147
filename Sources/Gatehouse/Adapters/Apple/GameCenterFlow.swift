/// What becomes of a login at Game Center. The system calls its handler once, several times, or never: whatever it does, a login
/// ends, and ends once.
struct GameCenterFlow: Sendable {
    /// What the system's handler tells.
    enum Event: Sendable, Equatable {
        /// A page to log in at is there to be shown.
        case page
        case authenticated
        /// The player has turned it down: the system does not ask again until the game starts anew.
        case cancelled
        case failed
        /// Nothing was heard for long.
        case silence
        /// The game has ended the login.
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
        /// Only the system's settings help: 3203.
        case externalLoginRequired
        case failed
    }

    private enum State: Sendable { case idle, waiting, showing, ended }

    private var state = State.idle
    /// Whether the player has turned the system's page down since the game started.
    private var isTurnedDown = false

    /// A login begins.
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
        // A page that stands open is the player's to close.
        case .silence: return state == .showing ? .wait : end(.externalLoginRequired)
        case .abandoned: return end(.cancelled)
        }
    }

    private mutating func end(_ outcome: Outcome) -> Step {
        state = .ended
        return .end(outcome)
    }
}
