import AsyncHTTPClient
import FakeProviders
import GatehouseCore
import GatehousePlatform
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Logging
import NIOCore
import NIOHTTP1

/// A development server of its own behind a ``ConformanceRelay``, for as long as clients are judged.
struct ConformanceServer: Sendable {
    let relay: ConformanceRelay
    let administration: Administration
    private let idps: FakeProviders
    /// The server's own address, for what must not pass the relay.
    private let origin: String

    /// The identity providers that scenarios use.
    static let providers: [Provider] = [.google, .apple, .facebook, .line, .naver]

    /// Starts a server on an empty database, runs a body, and ends the server.
    static func run(in folder: String, _ body: @escaping @Sendable (ConformanceServer) async throws -> Void)
        async throws
    {
        let relay = try await ConformanceRelay()
        let logger = Logger(label: "gatehouse.conformance") { _ in SwiftLogNoOpLogHandler() }
        let settings = try Settings(
            flags: [
                "database": "sqlite:\(folder)/gatehouse.db", "host": "127.0.0.1", "port": "0", "public-url": relay.url,
            ], environment: [:], looksForFile: false)
        let server = try await DevelopmentServer.open(settings, idpPort: 0, logger: logger)
        let (origins, origin) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await server.serve { origin.yield($0) }
                return false
            }
            group.addTask {
                guard let origin = await origins.first(where: { _ in true }) else { return false }
                async let _ = relay.run(to: origin)
                let administration = try await server.administration()
                try await body(
                    ConformanceServer(
                        relay: relay, administration: administration, idps: server.idps, origin: origin))
                return true
            }
            // Ctrl-C ends the server first, and its end ends the judgement.
            _ = try await group.next()
            group.cancelAll()
        }
    }

    /// An app for one scenario.
    func createApp(_ id: AppID) async throws -> SecretKey {
        let secret = try await administration.run(CreateApp(id: id, name: "Conformance")).secret
        try await DevelopmentServer.liftLimits(of: id, administration)
        try await DevelopmentServer.configure(Self.providers, idps, in: id, administration)
        return secret
    }

    /// Moves the server's clock forward.
    func advance(seconds: Int64) async throws { try await clock(#"{"advanceSeconds":\#(seconds)}"#) }

    /// Puts the server's clock back to the machine's.
    func resetClock() async throws { try await clock(#"{"reset":true}"#) }

    private func clock(_ body: String) async throws {
        let (status, text) = try await post("/dev/clock", [:], body)
        guard status == 200 else { throw Verdict("the server's clock can't be moved: \(text)") }
    }

    /// Whether the game is in service, as the server itself says.
    func isPlayable(_ app: AppID) async throws -> Bool {
        var request = HTTPClientRequest(url: origin + Endpoints.launching.path(app: app))
        request.headers.add(name: "Host", value: relay.url.replacing("http://", with: ""))
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let body = try await answer.body.collect(upTo: 1 << 20)
        return try JSONDecoder().decode(LaunchingInformation.self, from: Data(body.readableBytesView)).isPlayable
    }

    /// The user of an access token, as the game's own server learns it; nil for a token that is refused.
    func user(of token: String, _ app: AppID, secret: SecretKey) async throws -> String? {
        let body = try JSONEncoder().encode(TokenCheckRequest(accessToken: AccessToken(token)))
        let (status, text) = try await post(
            Endpoints.checkToken.path(app: app), ["X-Secret-Key": secret.secretValue],
            String(decoding: body, as: UTF8.self))
        guard status == 200 else { return nil }
        return try JSONDecoder().decode(TokenCheck.self, from: Data(text.utf8)).member.userId.rawValue
    }

    private func post(_ path: String, _ headers: [String: String], _ body: String) async throws -> (
        status: UInt, text: String
    ) {
        var request = HTTPClientRequest(url: origin + path)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(string: body))
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        return (answer.status.code, String(buffer: try await answer.body.collect(upTo: 1 << 20)))
    }
}
