import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
import NIOCore

/// Fake providers as an HTTP server of this machine.
public struct FakeProviderServer: Sendable {
    public let providers: FakeProviders
    private let logger: Logger

    public init(providers: FakeProviders, logger: Logger) {
        self.providers = providers
        self.logger = logger
    }

    /// - Parameter port: 0 takes a free one.
    /// - Parameter onRunning: is told the port, after the providers know it.
    public func application(
        port: Int, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router()
        let providers = providers
        for method in [HTTPRequest.Method.get, .post] {
            router.on("**", method: method) { request, _ in
                let body = try await request.body.collect(upTo: 65_536)
                let answer = providers.respond(
                    method: request.method.rawValue, path: request.uri.path, body: Data(body.readableBytesView))
                return Response(
                    status: .init(code: answer.status), headers: [.contentType: "application/json"],
                    body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
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
}
