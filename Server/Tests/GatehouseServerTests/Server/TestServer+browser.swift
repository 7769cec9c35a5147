import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseWire
import HTTPTypes
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// A player's browser on its way back from the provider's page to the server.
struct Return: Sendable {
    var path: String
    var parameters: [String: String]
    /// Whether it sends a form.
    let isForm: Bool
}

extension TestServer {
    static let redirect = "http://127.0.0.1:5000/done"

    func begin(
        _ provider: Provider, by device: TestDevice, redirect: String = redirect, region: String? = nil
    ) async throws -> TestAnswer {
        try await call(
            Endpoints.beginLogin, LoginAttemptRequest(provider: provider, redirectUri: redirect, region: region),
            by: device)
    }

    /// Goes to the provider's page as a player.
    func atPage(
        _ provider: Provider, _ name: String, by device: TestDevice, action: String = "login", region: String? = nil
    ) async throws -> Return {
        let attempt = try await begin(provider, by: device, region: region).decoded(as: LoginAttempt.self)
        return try atPage(url: attempt.authorizationUrl, name, action: action)
    }

    /// Logs in at the provider's page of this address.
    func atPage(url: String, _ name: String, action: String = "login") throws -> Return {
        let page = try #require(FakeProviders.Request(method: "GET", url: url, headers: [:], body: Data()))
        let shown = idps.respond(page)
        #expect(shown.status == 200)
        var fields = page.query
        fields["fake_player"] = name
        fields["fake_action"] = action
        let answer = idps.respond(
            FakeProviders.Request(
                method: "POST", path: page.path, body: Data(Form.text(fields).utf8)))
        guard let location = answer.headers["Location"] else {
            // Apple's form.
            let html = String(decoding: answer.body, as: UTF8.self)
            var form: [String: String] = [:]
            for match in html.matches(of: /name="([^"]+)" value="([^"]*)"/) {
                form[String(match.output.1)] = String(match.output.2).replacing("&quot;", with: "\"")
            }
            let action = try #require(html.firstMatch(of: /action="([^"]+)"/))
            return Return(
                path: try #require(URLComponents(string: String(action.output.1))).path, parameters: form, isForm: true)
        }
        let url = try #require(URLComponents(string: location))
        let items = (url.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return Return(path: url.path, parameters: Dictionary(items) { $1 }, isForm: false)
    }

    func comeBack(_ back: Return, language: String? = nil) async throws -> TestAnswer {
        var headers = language.map { ["Accept-Language": $0] } ?? [:]
        let text = Form.text(back.parameters)
        guard back.isForm else {
            return try await send(TestCall(method: .get, path: "\(back.path)?\(text)", headers: headers))
        }
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return try await send(TestCall(path: back.path, headers: headers, body: text))
    }

    /// The parameters that the browser brings to the game.
    func result(_ answer: TestAnswer) throws -> [String: String] {
        let location = try #require(answer.headers[.location])
        #expect(location.hasPrefix(Self.redirect))
        let items = URLComponents(string: location)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    /// A login with a browser, up to the code.
    func loginCode(
        _ provider: Provider, _ name: String, by device: TestDevice, region: String? = nil
    ) async throws -> Credential {
        let answer = try await comeBack(try await atPage(provider, name, by: device, region: region))
        #expect(answer.status == 303)
        var credential = Credential(provider: provider)
        credential.loginCode = ProviderToken(try #require(try result(answer)["code"]))
        credential.region = region
        return credential
    }
}
