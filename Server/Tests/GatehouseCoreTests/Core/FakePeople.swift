import Foundation
import GatehouseSecurity
import GatehouseWire

/// Two identity providers whose access tokens consist of a person's name and a number, such as `alice.1`. They refuse every other token.
/// All persons have one e-mail address. The second provider exchanges each code for an access token of the same text. Nothing else of
/// them can be reached, such as the address where tokens are revoked.
enum FakePeople {
    static func answer(_ request: OutgoingRequest) async throws -> OutgoingResponse {
        guard ["openapi.naver.com", "api.x.com"].contains(URL(string: request.url)?.host) else {
            throw OutgoingFailure.notConnected
        }
        if URL(string: request.url)?.path == "/2/oauth2/token" {
            let form = String(decoding: request.body ?? Data(), as: UTF8.self).split(separator: "&")
            let code = form.first { $0.hasPrefix("code=") }?.dropFirst("code=".count) ?? ""
            return OutgoingResponse(status: 200, body: Data(#"{"access_token":"\#(code)"}"#.utf8))
        }
        let token = request.headers.first { $0.key.lowercased() == "authorization" }?.value.dropFirst("Bearer ".count)
        let parts = (token ?? "").split(separator: ".")
        guard parts.count == 2 else { return OutgoingResponse(status: 401, body: Data("{}".utf8)) }
        let person = #"{"id":"\#(parts[0])","email":"family@example.com"}"#
        return switch URL(string: request.url)?.host {
        case "openapi.naver.com":
            OutgoingResponse(status: 200, body: Data(#"{"resultcode":"00","response":\#(person)}"#.utf8))
        case "api.x.com": OutgoingResponse(status: 200, body: Data(#"{"data":\#(person)}"#.utf8))
        default: throw OutgoingFailure.notConnected
        }
    }

    /// A credential that no device has used yet.
    static func credential(_ provider: Provider, of person: String) -> Credential {
        let number = RandomSource.live.integer(bits: 60)
        return Credential(provider: provider, accessToken: ProviderToken("\(person).\(number)"))
    }
}
