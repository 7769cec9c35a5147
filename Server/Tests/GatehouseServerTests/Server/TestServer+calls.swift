import Foundation
import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore

/// A call, which is valid unless a test changes it.
struct TestCall: Sendable {
    var method = HTTPRequest.Method.post
    var path: String
    var headers: [String: String] = [:]
    var body: String?

    static func path(_ template: String, app: AppID = TestServer.app) -> String {
        template.replacing("{appId}", with: app.rawValue)
    }
}

extension TestServer {
    func send(_ call: TestCall) async throws -> TestAnswer {
        var headers = HTTPFields()
        if call.body != nil { headers[.contentType] = "application/json" }
        for (name, value) in call.headers {
            guard let name = HTTPField.Name(name) else { continue }
            headers[name] = value
        }
        let response = try await client.executeRequest(
            uri: call.path, method: call.method, headers: headers, body: call.body.map { ByteBuffer(string: $0) })
        return TestAnswer(
            status: response.status.code, headers: response.headers, text: String(buffer: response.body))
    }

    /// A call with a proof, and with a token if one is given.
    func send(
        _ method: HTTPRequest.Method, _ template: String, app: AppID = TestServer.app, by device: TestDevice,
        token: String? = nil, body: String? = nil, headers: [String: String] = [:]
    ) async throws -> TestAnswer {
        let path = TestCall.path(template, app: app)
        var all = headers
        all[HeaderNames.proof] =
            try headers[HeaderNames.proof] ?? device.proof(method.rawValue, path, token: token, at: clock.now)
        if let token { all["Authorization"] = "DPoP \(token)" }
        return try await send(TestCall(method: method, path: path, headers: all, body: body))
    }

    func logIn(
        _ device: TestDevice, app: AppID = TestServer.app, headers: [String: String] = [:]
    ) async throws -> TestAnswer {
        try await send(
            .post, Endpoints.logIn.template, app: app, by: device, body: #"{"provider":"guest"}"#, headers: headers)
    }

    /// A logged-in guest.
    func guest(_ device: TestDevice, app: AppID = TestServer.app) async throws -> Login {
        try await logIn(device, app: app).decoded(as: Login.self)
    }

    func logInWithLastProvider(_ device: TestDevice, _ token: RefreshToken?) async throws -> TestAnswer {
        try await send(
            .post, Endpoints.logInWithLastProvider.template, by: device, token: token?.secretValue ?? "none")
    }

    func refresh(_ device: TestDevice, _ token: RefreshToken?) async throws -> TestAnswer {
        try await send(.post, Endpoints.refreshSession.template, by: device, token: token?.secretValue ?? "none")
    }

    func logOut(_ device: TestDevice, _ token: RefreshToken?) async throws -> TestAnswer {
        try await send(.post, Endpoints.logOut.template, by: device, token: token?.secretValue ?? "none")
    }

    func member(_ device: TestDevice, _ token: AccessToken) async throws -> TestAnswer {
        try await send(.get, Endpoints.member.template, by: device, token: token.secretValue)
    }

    func heartbeat(_ device: TestDevice, _ token: AccessToken) async throws -> TestAnswer {
        try await send(.post, Endpoints.heartbeat.template, by: device, token: token.secretValue)
    }

    func checkToken(
        _ token: AccessToken, user: UserID? = nil, app: AppID = TestServer.app, secret: String? = nil
    ) async throws -> TestAnswer {
        let request = TokenCheckRequest(accessToken: token, userId: user)
        return try await send(
            TestCall(
                path: TestCall.path(Endpoints.checkToken.template, app: app),
                headers: [HeaderNames.secretKey: secret ?? self.secret.secretValue],
                body: String(decoding: try JSONEncoder().encode(request), as: UTF8.self)))
    }

    /// The number of rows of every table that a refused call must not write to.
    func rowCounts() async throws -> [Int] {
        try await database.read { tx in
            [
                try tx.first("SELECT COUNT(*) FROM members") { row in try row[0] as Int } ?? -1,
                try tx.first("SELECT COUNT(*) FROM identities") { row in try row[0] as Int } ?? -1,
                try tx.first("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL") { row in try row[0] as Int } ?? -1,
                try tx.first("SELECT COUNT(*) FROM idempotent_calls") { row in try row[0] as Int } ?? -1,
            ]
        }
    }
}
