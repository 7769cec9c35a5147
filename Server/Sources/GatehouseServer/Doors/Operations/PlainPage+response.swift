import GatehouseLook
import HTTPTypes
import Hummingbird
import NIOCore

extension PlainPage {
    /// The page with a policy that allows its own style and nothing else.
    func response(_ status: HTTPResponse.Status = .ok, headers others: HTTPFields = [:]) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; style-src \(Self.styleSource); base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            .xContentTypeOptions: "nosniff",
        ]
        for field in others { headers[field.name] = field.value }
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: html)))
    }
}
