import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression
import Testing

@testable import GatehouseConsole

/// The compressed form of the style sheet and the script.
@Suite struct GzipTests {
    /// What a browser reads.
    private static func read(_ compressed: ByteBuffer) throws -> ByteBuffer {
        let channel = EmbeddedChannel(handler: NIOHTTPResponseDecompressor(limit: .none))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        // A response has a request.
        let asked = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        channel.write(HTTPClientRequestPart.head(asked), promise: nil)
        channel.flush()
        let length = "\(compressed.readableBytes)"
        let head = HTTPResponseHead(
            version: .http1_1, status: .ok, headers: ["Content-Encoding": "gzip", "Content-Length": length])
        for part in [HTTPClientResponsePart.head(head), .body(compressed), .end(nil)] {
            try channel.writeInbound(part)
        }
        var text = ByteBuffer()
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            if case .body(var more) = part { text.writeBuffer(&more) }
        }
        return text
    }

    @Test("UI-PERF: the style and the script are less than half as long compressed, and are read as they were")
    func assets() throws {
        let assets = Assets()
        for file in [assets.style, assets.script] {
            let compressed = try #require(file.compressed)
            #expect(compressed.readableBytes < file.bytes.readableBytes / 2, "\(file.address)")
            #expect(try Self.read(compressed) == file.bytes, "\(file.address)")
        }
        #expect(assets.icon.compressed == nil)
    }

    @Test("What compression makes longer stays as it is")
    func short() {
        #expect(Gzip.compressed(ByteBuffer(string: "a")) == nil)
        #expect(Gzip.compressed(ByteBuffer()) == nil)
    }
}
