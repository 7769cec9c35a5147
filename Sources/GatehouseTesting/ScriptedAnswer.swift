import Foundation
import Gatehouse
public import GatehouseWire

/// One thing that the server says, or that the network does, ready to be scripted:
///
/// ```swift
/// network.script(.launching(), .login(), .conflict())
/// ```
///
/// An answer is made when its request arrives. It continues what the answers before it have said: a mapping is added to the member who
/// has logged in, and a login during ``maintenance(message:from:until:url:reason:)`` can be refused with that maintenance. Its times
/// are those of the test's clock.
public struct ScriptedAnswer: Sendable {
    typealias Make = @Sendable (TransportRequest, inout ScriptedServer) throws -> ScriptedTransport.Step

    /// What the answer is called in a message to the test's author.
    let name: String
    /// The endpoints that the answer is for, as paths behind the app's; nil if it fits every call.
    let paths: Set<String>?
    let make: Make

    init(_ name: String, to paths: Set<String>? = nil, _ make: @escaping Make) {
        self.name = name
        self.paths = paths
        self.make = make
    }

    /// An answer with a value of the contract.
    init<Request, Value: Encodable>(
        _ name: String, to endpoint: Endpoint<Request, Value>,
        value: @escaping @Sendable (inout ScriptedServer) -> Value
    ) {
        self.init(name, to: [Self.path(endpoint)]) { _, server in .answer(try Self.response(value(&server))) }
    }

    static func response(_ value: some Encodable, status: Int = 200) throws -> TransportResponse {
        TransportResponse(status: status, body: try JSONEncoder().encode(value))
    }

    /// The part of an endpoint's path that is behind the app's id.
    static func path<Request, Response>(_ endpoint: Endpoint<Request, Response>) -> String {
        endpoint.template.split(separator: "/").dropFirst(3).joined(separator: "/")
    }

    /// The part of a request's path that is behind the app's id.
    static func path(_ request: TransportRequest) -> String {
        request.url.path.split(separator: "/").dropFirst(3).joined(separator: "/")
    }

    /// The body that the game has sent, if it is of this type.
    static func body<Body: Decodable>(_ type: Body.Type, of request: TransportRequest) -> Body? {
        request.body.flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}

extension ScriptedAnswer {
    /// Any value of the contract, where no other answer fits: `.value(DeviceSessions(sessions: [], isComplete: true))`.
    ///
    /// - Parameter value: the body of the answer.
    /// - Parameter status: the HTTP status.
    public static func value(_ value: some Encodable & Sendable, status: Int = 200) -> ScriptedAnswer {
        ScriptedAnswer("value") { _, _ in .answer(try response(value, status: status)) }
    }

    /// The answer to a call that returns nothing: a logout, a withdrawal at once, the end of another device's session.
    public static func done() -> ScriptedAnswer {
        let endpoints: Set = [
            path(Endpoints.logOut), path(Endpoints.withdraw), path(Endpoints.endSession),
            path(Endpoints.endOtherSessions),
        ]
        return ScriptedAnswer("done", to: endpoints) { _, _ in .answer(try response(Empty())) }
    }

    // MARK: Without an answer

    /// The device has no connection: the call ends with `ErrorCode.socketError` (110), and the server knows nothing of it.
    public static func noConnection() -> ScriptedAnswer {
        ScriptedAnswer("noConnection") { _, _ in .failure(.unreachable("There is no connection.")) }
    }

    /// No answer comes in time: the call ends with `ErrorCode.socketResponseTimeout` (101).
    ///
    /// - Parameter answer: what the server has done although its answer was lost. The answers after this one continue it. Without it,
    ///   the server has done nothing.
    public static func lost(_ answer: ScriptedAnswer? = nil) -> ScriptedAnswer {
        ScriptedAnswer("lost", to: answer?.paths) { request, server in
            _ = try answer?.make(request, &server)
            return .failure(.timedOut)
        }
    }

    /// The call waits until its task is cancelled, and then ends with `ErrorCode.authUserCanceled` (3001).
    public static func hanging() -> ScriptedAnswer { ScriptedAnswer("hanging") { _, _ in .hang } }

    /// A page of something that stands between the game and the server, such as a proxy or a hotel's network: the call ends with
    /// `ErrorCode.serverInternalError` (8001) for a status of 500 or more, and else with `ErrorCode.serverInvalidResponse` (8003).
    ///
    /// - Parameter status: the page's HTTP status.
    public static func foreignPage(status: Int = 502) -> ScriptedAnswer {
        ScriptedAnswer("foreignPage") { _, _ in
            .answer(TransportResponse(status: status, body: Data("<html>Not Gatehouse</html>".utf8)))
        }
    }
}

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
