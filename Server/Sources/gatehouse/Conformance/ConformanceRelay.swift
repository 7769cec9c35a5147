import AsyncHTTPClient
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import Synchronization

/// A proxy between a client and the server: it keeps each call of a device, and disturbs calls as a scenario says.
final class ConformanceRelay: Sendable {
    /// One call of a device as it went over the wire.
    struct Call: Sendable {
        let endpoint: EndpointSummary
        let target: String
        let headers: [String: String]
        let body: [UInt8]
        /// By the machine's monotonic clock, in nanoseconds.
        let sentAt: UInt64
        /// What the client has received, or would have received if its answer had not been lost; nil for a request that was lost.
        var answer: JSONValue?

        /// A header's value, by its lowercase name.
        subscript(header: String) -> String? { headers[header.lowercased()] }

        /// The part of the path after the app's id, such as `login/last`.
        var name: String { ConformanceRelay.name(of: endpoint) }
        var token: String? {
            self["authorization"].flatMap { $0.split(separator: " ", maxSplits: 1).last.map(String.init) }
        }
    }

    /// What happens to a call on its way.
    enum Disturbance: Sendable {
        /// The request does not reach the server, and the connection closes.
        case loseRequest
        /// The server does its work, and the connection closes without an answer.
        case loseAnswer
        /// As ``loseAnswer``, after half of the answer.
        case cutAnswer
        /// As ``loseAnswer``, after the client was killed.
        case kill(@Sendable () -> Void)
        /// The relay answers instead of the server.
        case answer(status: Int, headers: [String: String], body: String)
        /// The server's answer, changed.
        case change(@Sendable ([String: JSONValue]) -> [String: JSONValue])
    }

    private struct Rule {
        let name: String?
        let disturbance: Disturbance
        var times: Int
    }

    private struct State {
        var server = ""
        var calls: [Call] = []
        var rules: [Rule] = []
    }

    private let state = Mutex(State())
    private let listener: NIOAsyncChannel<NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, Never>
    /// The address that clients are given.
    let url: String

    private static let endpoints: [(String, EndpointSummary)] = Endpoints.all.map {
        ("\($0.verb.rawValue) \(name(of: $0))", $0)
    }

    private static func name(of endpoint: EndpointSummary) -> String {
        String(endpoint.template.dropFirst("/v1/apps/{appId}/".count))
    }

    init() async throws {
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                }
            }
        url = "http://127.0.0.1:\(listener.channel.localAddress?.port ?? 0)"
    }

    /// Passes calls on to a server, until the task is cancelled.
    func run(to server: String) async throws {
        state.withLock { $0.server = server }
        try await listener.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    // A client that goes away in the middle of a call is no failure of the relay.
                    group.addTask { try? await self.serve(connection) }
                }
            }
        }
    }

    /// Forgets what was, for the next scenario.
    func reset() { state.withLock { ($0.calls, $0.rules) = ([], []) } }

    /// The calls of devices so far, in the order in which they came.
    var calls: [Call] { state.withLock { $0.calls } }

    /// Disturbs the next calls.
    ///
    /// - Parameter name: that of the call (``Call/name``); nil for every call of a device.
    func disturb(_ name: String?, times: Int = 1, _ disturbance: Disturbance) {
        state.withLock { $0.rules.append(Rule(name: name, disturbance: disturbance, times: times)) }
    }

    /// Lets calls pass again.
    func calm() { state.withLock { $0.rules = [] } }

    private func serve(_ connection: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) async throws {
        try await connection.executeThenClose { parts, answers in
            var head: HTTPRequest?
            var body = ByteBuffer()
            for try await part in parts {
                switch part {
                case .head(let request): head = request
                case .body(var bytes): body.writeBuffer(&bytes)
                case .end:
                    guard let head else { return }
                    // Each call has a connection of its own, so that a lost answer is lost for the client's HTTP library, too.
                    return try await respond(to: head, body, answers)
                }
            }
        }
    }

    private func respond(
        to head: HTTPRequest, _ body: ByteBuffer, _ answers: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    ) async throws {
        let (index, disturbance) = note(head, body)
        if case .loseRequest = disturbance { return }
        if case .answer(let status, let headers, let text) = disturbance {
            keep(ByteBuffer(string: text), of: index)
            return try await send(status, headers.map { ($0, $1) }, ByteBuffer(string: text), answers)
        }
        var (status, headers, content) = try await forward(head, body)
        switch disturbance {
        case .loseAnswer: return keep(content, of: index)
        case .kill(let kill):
            keep(content, of: index)
            return kill()
        case .cutAnswer:
            keep(content, of: index)
            try await answers.write(.head(Self.head(status, headers, length: content.readableBytes)))
            return try await answers.write(
                .body(content.getSlice(at: content.readerIndex, length: content.readableBytes / 2) ?? content))
        case .change(let change):
            if case .object(let members)? = Self.json(content) {
                content = ByteBuffer(data: (try? JSONEncoder().encode(JSONValue.object(change(members)))) ?? Data())
            }
        default: break
        }
        keep(content, of: index)
        try await send(status, headers, content, answers)
    }

    /// Keeps a call of a device, and takes the disturbance that is meant for it.
    private func note(_ head: HTTPRequest, _ body: ByteBuffer) -> (index: Int?, disturbance: Disturbance?) {
        let target = head.path ?? "/"
        let parts = target.split(separator: "?", maxSplits: 1)[0].split(separator: "/", maxSplits: 3)
        let key = "\(head.method.rawValue) \(parts.count == 4 ? String(parts[3]) : "")"
        guard let endpoint = Self.endpoints.first(where: { $0.0 == key })?.1 else { return (nil, nil) }
        let headers = Dictionary(
            head.headerFields.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
        let call = Call(
            endpoint: endpoint, target: target, headers: headers, body: Array(body.readableBytesView),
            sentAt: ServerEnvironment.live.monotonicNanoseconds())
        return state.withLock { state in
            state.calls.append(call)
            let index = state.rules.firstIndex { $0.name == nil || $0.name == call.name }
            guard let index else { return (state.calls.count - 1, nil) }
            let disturbance = state.rules[index].disturbance
            state.rules[index].times -= 1
            if state.rules[index].times == 0 { state.rules.remove(at: index) }
            return (state.calls.count - 1, disturbance)
        }
    }

    private func keep(_ answer: ByteBuffer, of index: Int?) {
        state.withLock { state in
            // A call of an earlier scenario may end in this one.
            guard let index, state.calls.indices.contains(index) else { return }
            state.calls[index].answer = Self.json(answer)
        }
    }

    private static func json(_ content: ByteBuffer) -> JSONValue? {
        try? JSONDecoder().decode(JSONValue.self, from: Data(content.readableBytesView))
    }

    private func forward(
        _ head: HTTPRequest, _ body: ByteBuffer
    ) async throws -> (status: Int, headers: [(String, String)], content: ByteBuffer) {
        var request = HTTPClientRequest(url: state.withLock { $0.server } + (head.path ?? "/"))
        request.method = .init(rawValue: head.method.rawValue)
        for field in head.headerFields where field.name != .contentLength {
            request.headers.add(name: field.name.canonicalName, value: field.value)
        }
        // The server compares a proof's address with the one that the client has called.
        request.headers.replaceOrAdd(name: "Host", value: head.authority ?? "")
        if body.readableBytes > 0 { request.body = .bytes(body) }
        let response = try await Self.client.execute(request, timeout: .seconds(60))
        return (
            Int(response.status.code), response.headers.map { ($0.name, $0.value) },
            try await response.body.collect(upTo: 1 << 22)
        )
    }

    private static let client = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))

    private static func head(_ status: Int, _ headers: [(String, String)], length: Int) -> HTTPResponse {
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name), ![.connection, .contentLength, .transferEncoding].contains(name)
            else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        fields[.connection] = "close"
        fields[.contentLength] = String(length)
        return HTTPResponse(status: .init(code: status), headerFields: fields)
    }

    private func send(
        _ status: Int, _ headers: [(String, String)], _ content: ByteBuffer,
        _ answers: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    ) async throws {
        try await answers.write(.head(Self.head(status, headers, length: content.readableBytes)))
        try await answers.write(.body(content))
        try await answers.write(.end(nil))
    }
}
