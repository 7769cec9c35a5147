import GatehouseCore
import GatehouseJSON
import HTTPTypes
import Hummingbird
import NIOCore

/// The discovery document of an app (OpenID Connect Discovery 1.0), so that other systems can take its access tokens as those of an OpenID
/// issuer. There is no page where people sign in, so it names none.
struct IssuerRoute: Sendable {
    static let path = "/v1/apps/{appId}/.well-known/openid-configuration"

    private struct Document: Encodable {
        let issuer: String
        let keys: String
        let responseTypes = ["id_token"]
        let subjectTypes = ["public"]
        let algorithms = ["ES256"]
        let claims = ["iss", "aud", "sub", "iat", "exp", "sid", "idp", "cnf"]

        enum CodingKeys: String, CodingKey {
            case issuer
            case keys = "jwks_uri"
            case responseTypes = "response_types_supported"
            case subjectTypes = "subject_types_supported"
            case algorithms = "id_token_signing_alg_values_supported"
            case claims = "claims_supported"
        }
    }

    let requests: RequestReader
    let issuer: TokenIssuer

    func add(to router: Router<GatehouseContext>) {
        router.getOnly(RouterPath(Self.path)) { request, context in
            requests.note(request, context)
            let app = try await requests.entry(context).app.id
            guard let name = issuer.name(of: app) else { throw HTTPError(.notFound) }
            let document = Document(issuer: name, keys: "\(name)/jwks.json")
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/json", .cacheControl: "public, max-age=\(ReadKeys.cacheSeconds)",
                ], body: .init(byteBuffer: ByteBuffer(bytes: try JSONWriter.bytes(of: document))))
        }
    }
}
