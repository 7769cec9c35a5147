import GatehouseWire

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
