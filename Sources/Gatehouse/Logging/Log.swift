import GatehouseWire

/// One event for a developer who debugs a login. It has no secret and nothing that identifies a person: no token, key, credential,
/// password or login code, no user id, and no account at an identity provider.
public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
    /// How important an entry is.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// Everything that works: a call that has succeeded, a token that was refreshed.
        case debug
        /// A change of state: a login, a logout, a page that comes up.
        case info
        /// A failure that players may meet: a refusal, a lost connection, an adapter that fails.
        case warning
        /// A failure that needs a developer: storage that can't be used, an answer that can't be read.
        case error

        /// Whether one level is less important than another.
        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// What has happened. An open set.
    public struct Event: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The event's name, such as `call.failed`.
        public let rawValue: String
        /// Wraps the name of an event.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The event's name.
        public var description: String { rawValue }

        /// A call has succeeded: `endpoint`, `status`, `milliseconds`, `retries`, and `transactionId` when it is known.
        public static let callSucceeded = Event(rawValue: "call.succeeded")
        /// A call has failed: as ``callSucceeded``, with `code`, `name`, `domain`, and `reason` when there is one. There is no `status`
        /// when no answer came.
        public static let callFailed = Event(rawValue: "call.failed")
        /// An attempt of a call has failed, and another one follows: `endpoint`, `attempt`, `code`, and `reason` when there is one.
        public static let callRetried = Event(rawValue: "call.retried")
        /// The state has changed: `state`, `reason` when a session has ended, and `provider` when there is a session.
        public static let stateChanged = Event(rawValue: "session.state")
        /// The access token was refreshed: `secondsLeft` of the old one.
        public static let sessionRefreshed = Event(rawValue: "session.refreshed")
        /// The access token could not be refreshed: `code`, `name`, and `reason` when there is one.
        public static let refreshFailed = Event(rawValue: "session.refresh-failed")
        /// The server has begun a login with a browser, and its page comes up: `provider`, `isPrivate`.
        public static let browserOpened = Event(rawValue: "browser.opened")
        /// A browser has come back with a login: `provider`, `milliseconds`.
        public static let browserReturned = Event(rawValue: "browser.returned")
        /// An adapter has failed: `provider`, `during` (`start` or `logIn`), `code`, `name`, `detailCode` when the provider's library
        /// has one, and `error`, the type of its error.
        public static let adapterFailed = Event(rawValue: "adapter.failed")
        /// The device's storage has failed: `operation` (`read`, `write` or `remove`), `item`, and `error`, the kind of failure.
        public static let storageFailed = Event(rawValue: "storage.failed")
    }

    /// How important the entry is.
    public let level: Level
    /// What has happened.
    public let event: Event
    /// Details, by name: see ``Event``.
    public let metadata: [String: String]

    /// Makes an entry from its parts.
    public init(level: Level, event: Event, metadata: [String: String] = [:]) {
        self.level = level
        self.event = event
        self.metadata = metadata
    }

    /// One line: the event's name, then the metadata as `name=value`, in alphabetical order.
    public var description: String {
        ([event.rawValue] + metadata.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }).joined(separator: " ")
    }
}

/// Writes entries to the configuration's logger, if there is one. An entry that nobody reads is not made.
struct Log: Sendable {
    let logger: (@Sendable (LogEntry) -> Void)?

    func callAsFunction(
        _ level: LogEntry.Level, _ event: LogEntry.Event, _ metadata: @autoclosure () -> [String: String?] = [:]
    ) {
        guard let logger else { return }
        logger(LogEntry(level: level, event: event, metadata: metadata().compactMapValues { $0 }))
    }
}

extension AuthError {
    /// What a log may have of an error. The message is left out, because it may quote what a provider or a library has said.
    var logMetadata: [String: String?] {
        ["code": String(code.rawValue), "name": code.name, "domain": domain, "reason": reason?.logWord]
    }

    /// An unusable answer needs a developer; any other failure may happen to a player.
    var logLevel: LogEntry.Level { code == .serverInvalidResponse ? .error : .warning }
}

extension ErrorReason {
    /// A reason comes from the server as text. A word of any other form than the contract's is not logged.
    var logWord: String? {
        let isWord = rawValue.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7a).contains($0) }
        return isWord && rawValue.utf8.count <= 64 ? rawValue : nil
    }
}

extension AuthState {
    var logMetadata: [String: String?] {
        switch self {
        case .restoring: ["state": "restoring"]
        case .locked: ["state": "locked"]
        case .signedIn: ["state": "signedIn"]
        case .offline: ["state": "offline"]
        case .signedOut(.noSession): ["state": "signedOut", "reason": "noSession"]
        case .signedOut(.loggedOut): ["state": "signedOut", "reason": "loggedOut"]
        case .signedOut(.sessionEnded(let notice)): ["state": "signedOut", "reason": notice.reason.logWord]
        }
    }
}
