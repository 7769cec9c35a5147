import GatehouseJSON
import GatehouseLook
import GatehousePlatform
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// The repository's OpenAPI document, embedded in the server: `/openapi.yaml` and `/openapi.json` for programs, `/openapi` for people.
struct OpenAPIRoute: Sendable {
    /// Made at the first request, and the same for every one.
    private static let page = Result {
        OpenAPIPage(try StoredJSON.read(JSONValue.self, from: EmbeddedFile.openAPIAsJSON.bytes)).page
    }

    func add(to router: Router<GatehouseContext>) {
        add("/openapi.yaml", "application/yaml", EmbeddedFile.openAPIAsYAML.bytes, to: router)
        add("/openapi.json", "application/json", EmbeddedFile.openAPIAsJSON.bytes, to: router)
        router.getOnly("/openapi") { _, _ in
            try Self.page.get().response(headers: [.cacheControl: "public, max-age=300"])
        }
    }

    private func add(
        _ path: RouterPath, _ type: String, _ bytes: [UInt8], to router: Router<GatehouseContext>
    ) {
        let document = ByteBuffer(bytes: bytes)
        router.getOnly(path) { _, _ in
            Response(
                status: .ok, headers: [.contentType: type, .cacheControl: "public, max-age=300"],
                body: .init(byteBuffer: document))
        }
    }
}
