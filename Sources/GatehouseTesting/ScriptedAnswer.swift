import Foundation
import Gatehouse
import GatehouseWire

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
