import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// Compression of what is the same for everybody.
///
/// The zlib that the server has already, for its own requests, is within a handler of SwiftNIO's channels, so this is a channel without a
/// connection.
enum Gzip {
    /// The bytes by gzip; nil if that is no gain.
    static func compressed(_ bytes: ByteBuffer) -> ByteBuffer? {
        let channel = EmbeddedChannel(handler: NIOHTTPRequestCompressor(encoding: .gzip))
        defer { _ = try? channel.finish() }
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
        for part in [HTTPClientRequestPart.head(head), .body(.byteBuffer(bytes)), .end(nil)] {
            channel.write(part, promise: nil)
        }
        channel.flush()
        var compressed = ByteBuffer()
        while let part = try? channel.readOutbound(as: HTTPClientRequestPart.self) {
            if case .body(.byteBuffer(var more)) = part { compressed.writeBuffer(&more) }
        }
        let isGain = compressed.readableBytes > 0 && compressed.readableBytes < bytes.readableBytes
        return isGain ? compressed : nil
    }
}
