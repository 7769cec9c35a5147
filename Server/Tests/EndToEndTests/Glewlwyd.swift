import AsyncHTTPClient
import Crypto
import Foundation
import GatehouseWire
import NIOCore
import NIOHTTP1
import TestDatabases

/// A real OpenID Connect provider with its own pages: glewlwyd, from Debian's packages, with its data in a folder.
final class Glewlwyd: Sendable {
    static let player = "alice"
    static let password = "password of alice"

    let origin: String
    private let folder: URL
    private let process: Command

    struct Failure: Error {
        let text: String
    }

    private init(origin: String, folder: URL, process: Command) {
        self.origin = origin
        self.folder = folder
        self.process = process
    }

    var issuer: String { "\(origin)/api/oidc" }

    /// Runs a test with a provider that has one player and no client yet.
    static func run(in folder: URL, _ test: @Sendable (Glewlwyd) async throws -> Void) async throws {
        let port = try LoopbackListener.freePort()
        let origin = "http://127.0.0.1:\(port)"
        try settings(origin: origin, port: port, in: folder).write(
            to: folder.appendingPathComponent("glewlwyd.conf"), atomically: true, encoding: .utf8)
        // The package's web application consists of links, which glewlwyd does not follow, and its settings are elsewhere.
        try await shell(
            """
            zcat /usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz | sqlite3 glewlwyd.db &&
            cp -rL /usr/share/glewlwyd/webapp webapp && rm -rf webapp/config.json &&
            cp /usr/share/glewlwyd/templates/config.json webapp/config.json
            """, in: folder)
        let process = try Command(["--config-file=glewlwyd.conf"], in: folder, executable: "/usr/bin/glewlwyd")
        for await line in process.lines where line.contains("Glewlwyd started") { break }
        let provider = Glewlwyd(origin: origin, folder: folder, process: process)
        do {
            try await provider.setUp()
            try await test(provider)
            await provider.end()
        } catch {
            await provider.end()
            throw error
        }
    }

    private func end() async {
        process.signal(SIGTERM)
        _ = await process.status()
    }

    private func setUp() async throws {
        let admin = try await session("admin", "password")
        try await send("POST", "mod/plugin", plugin(), as: admin)
        try await send(
            "POST", "user",
            [
                "username": .string(Self.player), "name": "Alice", "password": .string(Self.password),
                "email": "alice@example.com", "enabled": true, "scope": ["openid", "g_profile"],
            ], as: admin)
    }

    /// Registers a client as an operator of the provider does.
    func register(_ client: String, secret: String, key: P256.Signing.PublicKey, callback: String) async throws {
        let admin = try await session("admin", "password")
        try await send(
            "POST", "client",
            [
                "client_id": .string(client), "name": "Game", "confidential": true, "enabled": true,
                "client_secret": .string(secret), "password": .string(secret), "pubkey": .string(key.pemRepresentation),
                "redirect_uri": [.string(callback)], "authorization_type": ["code", "refresh_token"],
                "token_endpoint_auth_method": ["client_secret_basic", "client_secret_post", "private_key_jwt"],
                "scope": [],
            ], as: admin)
        // The player has given consent for the client.
        let player = try await session(Self.player, Self.password)
        try await send("PUT", "auth/grant/\(client)", ["scope": "openid"], as: player)
    }

    /// Gives the provider a new key. The old one is no longer published.
    func rotateKey() async throws {
        let admin = try await session("admin", "password")
        try await send("PUT", "mod/plugin/oidc", plugin(), as: admin)
        // It loads a key when it starts the plugin.
        try await send("PUT", "mod/plugin/oidc/disable", nil, as: admin)
        try await send("PUT", "mod/plugin/oidc/enable", nil, as: admin)
    }

    /// The number of valid refresh tokens.
    func livingTokens() async throws -> Int {
        let text = try await Self.shell(
            "sqlite3 -cmd '.timeout 5000' glewlwyd.db 'SELECT COUNT(*) FROM gpo_refresh_token WHERE gpor_enabled = 1'",
            in: folder)
        return Int(text) ?? -1
    }

    private func plugin() -> JSONValue {
        let key = P256.Signing.PrivateKey()
        return [
            "module": "oidc", "name": "oidc", "display_name": "OpenID Connect",
            "parameters": [
                "iss": .string(issuer), "jwt-type": "ecdsa", "jwt-key-size": "256",
                "key": .string(key.pemRepresentation), "cert": .string(key.publicKey.pemRepresentation),
                "access-token-duration": 3_600, "refresh-token-duration": 1_209_600, "code-duration": 600,
                "refresh-token-rolling": false, "allow-non-oidc": false, "auth-type-code-enabled": true,
                "auth-type-token-enabled": false, "auth-type-id-token-enabled": true, "auth-type-none-enabled": false,
                "auth-type-password-enabled": false, "auth-type-client-enabled": false,
                "auth-type-refresh-enabled": true, "scope": [], "additional-parameters": [], "claims": [],
                "jwks-show": true, "jwks-x5c": [], "request-parameter-allow": true, "subject-type": "public",
                "introspection-revocation-allowed": true, "introspection-revocation-allow-target-client": true,
                "introspection-revocation-auth-scope": [], "pkce-allowed": true, "pkce-method-plain-allowed": false,
                "client-pubkey-parameter": "pubkey", "client-jwks-parameter": "jwks",
                "client-jwks_uri-parameter": "jwks_uri",
            ],
        ]
    }

    private func session(_ name: String, _ password: String) async throws -> String {
        let answer = try await send(
            "POST", "auth/", ["username": .string(name), "password": .string(password)], as: nil)
        guard let cookie = answer.headers.first(name: "Set-Cookie")?.split(separator: ";").first else {
            throw Failure(text: "no session of \(name)")
        }
        return String(cookie)
    }

    @discardableResult
    private func send(
        _ method: String, _ path: String, _ body: JSONValue?, as cookie: String?
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: "\(origin)/api/\(path)")
        request.method = .RAW(value: method)
        request.headers.add(name: "Content-Type", value: "application/json")
        if let cookie { request.headers.add(name: "Cookie", value: cookie) }
        if let body { request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(body))) }
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        guard answer.status == .ok else { throw Failure(text: "\(method) \(path) answers \(answer.status)") }
        return answer
    }

    @discardableResult
    private static func shell(_ script: String, in folder: URL) async throws -> String {
        let command = try Command(["-c", script], in: folder, executable: "/bin/sh")
        var text = ""
        for await line in command.lines { text += line }
        guard await command.status() == 0 else { throw Failure(text: text) }
        return text
    }

    private static func settings(origin: String, port: Int, in folder: URL) -> String {
        let types = [
            ("html", "text/html"), ("css", "text/css"), ("js", "application/javascript"), ("json", "application/json"),
        ]
        .map { #"{ extension = ".\#($0)"; mime_type = "\#($1)"; compress = 0 }"# }.joined(separator: ",\n")
        return """
            port = \(port)
            bind_address = "127.0.0.1"
            external_url = "\(origin)"
            login_url = "login.html"
            api_prefix = "api"
            static_files_path = "\(folder.path)/webapp/"
            log_mode = "console"
            log_level = "INFO"
            cookie_domain = "127.0.0.1"
            cookie_secure = 0
            session_expiration = 86400
            session_key = "GLEWLWYD2_SESSION_ID"
            login_api_enabled = true
            admin_scope = "g_admin"
            profile_scope = "g_profile"
            user_module_path = "/usr/lib/glewlwyd/user"
            user_middleware_module_path = "/usr/lib/glewlwyd/user_middleware"
            client_module_path = "/usr/lib/glewlwyd/client"
            user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
            plugin_module_path = "/usr/lib/glewlwyd/plugin"
            hash_algorithm = "SHA512"
            database = { type = "sqlite3"; path = "\(folder.path)/glewlwyd.db"; };
            static_files_mime_types = (
            \(types)
            )
            """
    }
}
