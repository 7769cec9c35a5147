import AsyncHTTPClient
import GatehousePlatform
public import GatehouseWire
import HTTPTypes
public import Hummingbird
public import Logging
import NIOCore
import NIOHTTP1

/// Serves fake providers over HTTP on this machine.
public struct FakeProviderServer: Sendable {
    /// The providers. They can be changed while they are served.
    public let providers: FakeProviders
    private let logger: Logger
    /// Where a provider sends its reports: the callback that would be registered in its console.
    private let signalURL: @Sendable (Provider) -> String?

    /// - Parameter signalURL: where a provider sends its reports; nil for a provider that sends none.
    public init(
        providers: FakeProviders, logger: Logger, signalURL: @escaping @Sendable (Provider) -> String? = { _ in nil }
    ) {
        self.providers = providers
        self.logger = logger
        self.signalURL = signalURL
    }

    /// - Parameter port: 0 selects a free port.
    /// - Parameter onRunning: receives the port, after the providers have it.
    public func application(
        port: Int, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router()
        let providers = providers
        for path in ["/", "**"] {
            for method in [HTTPRequest.Method.get, .post, .delete] {
                router.on(RouterPath(path), method: method) { request, _ in
                    if request.uri.path == "/world/signal" { return try await signal(request) }
                    let answer = providers.respond(try await Self.call(request))
                    if answer.delayMilliseconds > 0 {
                        try await Task.sleep(for: .milliseconds(answer.delayMilliseconds))
                    }
                    return Self.response(answer)
                }
            }
        }
        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? port
                providers.move(to: "http://127.0.0.1:\(port)")
                await onRunning(port)
            }, logger: logger)
    }

    private static func call(_ request: Request) async throws -> FakeProviders.Request {
        let body = try await request.body.collect(upTo: 65_536)
        let headers = Dictionary(
            request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { _, last in last })
        return FakeProviders.Request(
            method: request.method.rawValue, url: "\(request.uri)", headers: headers, body: Data(body.readableBytesView)
        )
            ?? FakeProviders.Request(method: request.method.rawValue, path: request.uri.path)
    }

    private static func response(_ answer: FakeProviders.Response) -> Response {
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    /// Sends a report that a developer has requested on the control page.
    private func signal(_ request: Request) async throws -> Response {
        let form = try await Self.call(request).form
        let provider = Provider(form["provider"] ?? "")
        guard let player = form["player"], !player.isEmpty, let url = signalURL(provider),
            FakeProviders.signallers.contains(provider)
        else { return Self.response(FakeProviders.failure(400, "nobody to report, or nobody to report to")) }
        let (headers, body) = try providers.signal(provider, form["signal"] ?? "", of: player)
        var outgoing = HTTPClientRequest(url: url)
        outgoing.method = .POST
        for (name, value) in headers { outgoing.headers.add(name: name, value: value) }
        outgoing.body = .bytes(ByteBuffer(bytes: body))
        let answer = try await HTTPClient.shared.execute(outgoing, timeout: .seconds(10))
        return Self.response(
            FakeProviders.page(
                "Reported", "<p>The server answered \(answer.status.code).</p><p><a href=\"/\">Back</a></p>"))
    }
}
