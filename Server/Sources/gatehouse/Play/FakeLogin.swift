#if Player
import Foundation
import Gatehouse
import GatehouseWire

/// Logs in at the fake providers of `gatehouse dev`: what stands for a login page is the player's name.
struct FakeLogin: AuthAdapter {
    let provider: Provider
    /// The name of who sits at the device.
    let name: @Sendable () -> String

    private struct Tokens: Decodable {
        let idToken: String
        let accessToken: String

        private enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case accessToken = "access_token"
        }
    }

    func logIn(_ request: AdapterRequest) async throws -> Credential {
        guard let issuer = request.settings.issuer, let url = URL(string: "\(issuer)/sign-in"),
            ["127.0.0.1", "localhost", "::1"].contains(url.host ?? "")
        else {
            throw AdapterError.failed(
                code: 1, message: "This game logs in at the fake providers of `gatehouse dev` only.")
        }
        let body = try JSONEncoder().encode(["player": name()])
        let answer = try await Gatehouse.Environment.live().send(
            TransportRequest(
                method: "POST", url: url, headers: ["Content-Type": "application/json"], body: body, timeoutSeconds: 10)
        )
        guard answer.status == 200 else {
            throw AdapterError.failed(code: answer.status, message: "The fake provider answered \(answer.status).")
        }
        let tokens = try JSONDecoder().decode(Tokens.self, from: answer.body)
        return Credential(
            provider: provider, idToken: ProviderToken(tokens.idToken), accessToken: ProviderToken(tokens.accessToken))
    }
}
#endif
