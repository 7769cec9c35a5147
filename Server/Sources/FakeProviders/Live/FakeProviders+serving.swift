import GatehousePlatform
import Hummingbird
import Logging

extension FakeProviders {
    /// Serves a separate fake world on a free port of this machine for as long as a test takes. No other test sees it.
    ///
    /// A server reaches it with `--allow-local-providers true`, and a provider is configured with `gatehouse idp set NAME --client-id
    /// gatehouse-NAME --fake-world ORIGIN`, where the origin is ``origin``.
    ///
    /// - Parameter test: receives the providers when they can be reached.
    /// - Returns: what the test returns.
    /// - Throws: what the test throws, or why no port could be opened.
    public static func serving<Value: Sendable>(
        _ test: @escaping @Sendable (FakeProviders) async throws -> Value
    ) async throws -> Value {
        let providers = FakeProviders(
            origin: "http://127.0.0.1:0", key: try FakeSigningKey(),
            nowSeconds: { Int64(Date().timeIntervalSince1970) })
        var logger = Logger(label: "fake providers")
        logger.logLevel = .critical
        let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
        let application = FakeProviderServer(providers: providers, logger: logger)
            .application(port: 0) { _ in readiness.yield() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await application.runService(gracefulShutdownSignals: [])
                return nil
            }
            group.addTask {
                for await _ in ready { break }
                return try await test(providers)
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}
