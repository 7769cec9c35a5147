import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `/openapi.yaml`: the repository's document, embedded in the server.
struct OpenAPIRoute: Sendable {
    func add(to router: Router<GatehouseContext>) {
        let document = ByteBuffer(bytes: PackageResources.openapi_yaml)
        router.getOnly("/openapi.yaml") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/yaml", .cacheControl: "public, max-age=300"],
                body: .init(byteBuffer: document))
        }
    }
}
