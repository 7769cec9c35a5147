public import GatehouseWire

extension ScriptedAnswer {
    /// The server refuses a call with a code of the error table.
    ///
    /// What belongs to some codes has an answer of its own: ``banned(for:message:contact:contactURL:)``, ``notPlayable()``,
    /// ``conflict(with:providers:status:lastLogin:expiresIn:)``, ``transferBlocked(for:failures:)``, ``sessionEnded(_:message:provider:)``.
    ///
    /// - Parameter code: the error's code.
    /// - Parameter message: the error's text for developers. Nil is the meaning of the code in the table.
    /// - Parameter reason: why, as one word.
    /// - Parameter wait: when the player may try again.
    /// - Parameter details: anything else that comes with the error.
    public static func refusal(
        _ code: ErrorCode, message: String? = nil, reason: ErrorReason? = nil, retryAfter wait: Duration? = nil,
        details: ErrorDetails = ErrorDetails()
    ) -> ScriptedAnswer {
        ScriptedAnswer("refusal(\(code.rawValue))") { _, _ in
            var details = details
            if let reason { details.reason = reason }
            if let wait { details.retryAfterSeconds = wait.components.seconds }
            return try refuse(code, message: message, details: details)
        }
    }

    /// A banned player is refused: a login with `ErrorCode.bannedMember` (7), and any other call ends the session.
    ///
    /// - Parameter duration: how long the ban still lasts; nil for a permanent one.
    /// - Parameter message: what the player should read.
    /// - Parameter contact: contact information for the player, as text.
    /// - Parameter contactURL: a page where the player can contact the operator.
    public static func banned(
        for duration: Duration? = nil, message: String? = "This account is banned.", contact: String? = nil,
        contactURL: String? = nil
    ) -> ScriptedAnswer {
        ScriptedAnswer("banned") { request, server in
            let ban = Ban(
                userId: server.member().userId, banType: duration == nil ? .permanent : .temporary,
                beginDate: server.now, endDate: duration.map { server.now + $0.milliseconds }, message: message,
                contact: contact, contactUrl: contactURL)
            let isLogin = path(request).hasPrefix("login") || path(request).hasSuffix("redeem")
            return try refuse(
                isLogin ? .bannedMember : .authInvalidGatehouseToken, message: ban.message,
                details: ErrorDetails(
                    reason: isLogin ? nil : .banned, standing: server.standing(ofBanned: ban), ban: ban))
        }
    }

    /// The server refuses a call because the app is not in service, with `ErrorCode.authNotPlayable` (3701). The error has the status,
    /// the maintenance and the texts of the last launching answer; after one that is in service, a maintenance has begun meanwhile.
    public static func notPlayable() -> ScriptedAnswer {
        ScriptedAnswer("notPlayable") { _, server in
            if server.launching?.isPlayable ?? true {
                server.launching?.status = .maintenance
                server.launching?.isPlayable = false
            }
            let standing = server.standing(of: server.member())
            return try refuse(
                .authNotPlayable, message: standing.message,
                details: ErrorDetails(
                    launchingStatus: standing.launchingStatus, maintenance: server.launching?.maintenance,
                    standing: standing))
        }
    }

    /// The session has ended: the next call says so with `ErrorCode.authInvalidGatehouseToken` (3011), and a login with the last
    /// provider with `ErrorCode.authTokenLoginInvalidTokenInfo` (3102).
    ///
    /// - Parameter reason: why it has ended.
    /// - Parameter message: what the player should read.
    /// - Parameter provider: the identity provider whose report has ended it.
    public static func sessionEnded(
        _ reason: ErrorReason, message: String? = nil, provider: Provider? = nil
    ) -> ScriptedAnswer {
        ScriptedAnswer("sessionEnded") { request, _ in
            let isLast = path(request) == path(Endpoints.logInWithLastProvider)
            return try refuse(
                isLast ? .authTokenLoginInvalidTokenInfo : .authInvalidGatehouseToken,
                message: "The session has ended.",
                details: ErrorDetails(reason: reason, message: message, provider: provider))
        }
    }

    static func refuse(
        _ code: ErrorCode, message: String? = nil, details: ErrorDetails
    ) throws -> ScriptedTransport.Step {
        let error = WireError(
            code: code, message: message ?? code.row?.meaning ?? code.name, transactionId: TransactionID("scripted"),
            details: details)
        return .answer(try response(ErrorEnvelope(error: error), status: code.row?.httpStatus ?? 500))
    }
}
