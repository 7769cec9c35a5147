import Crypto
import GatehouseHTML
import GatehouseLook
import GatehousePlatform
import GatehouseSecurity
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// The style sheet, which begins with what every page of Gatehouse shares, and the script. Their addresses change with their content, so browsers keep them for good.
struct Assets: Sendable {
    struct File: Sendable {
        let address: String
        let type: String
        let bytes: ByteBuffer
        /// The same by gzip, made once; nil for one that is small as it is.
        let compressed: ByteBuffer?
    }

    let style: File
    let script: File
    let icon: File

    init() {
        style = Self.file(
            "console.css", "text/css; charset=utf-8", PlainPage.sharedStyle + EmbeddedFile.consoleStyle.bytes)
        script = Self.file("console.js", "text/javascript; charset=utf-8", EmbeddedFile.consoleScript.bytes)
        icon = Self.file("icon.svg", "image/svg+xml", EmbeddedFile.consoleIcon.bytes)
    }

    private static func file(_ name: String, _ type: String, _ bytes: [UInt8]) -> File {
        let version = SHA256.hash(data: Data(bytes)).prefix(6).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }
            .joined()
        let buffer = ByteBuffer(bytes: bytes)
        return File(
            address: "\(Console.prefix)/assets/\(version)/\(name)", type: type, bytes: buffer,
            compressed: bytes.count < smallest ? nil : Gzip.compressed(buffer))
    }

    /// What is smaller fits in one packet anyway.
    private static let smallest = 1_024
}

extension Assets: Markup {
    /// The head of a page.
    ///
    /// - Parameter refresh: when a browser without the script asks for which address.
    func head(_ title: String, refresh: String? = nil) -> HTML {
        head {
            meta(Attribute("charset", "utf-8"))
            meta(.name("viewport"), Attribute("content", "width=device-width, initial-scale=1"))
            link(.rel("stylesheet"), .href(style.address))
            link(.rel("icon"), .href(icon.address))
            self.title { "\(title) · Gatehouse" }
            self.script(src: script.address)
            if let refresh {
                HTML.element("noscript") { meta(Attribute("http-equiv", "refresh"), Attribute("content", refresh)) }
            }
        }
    }
}

extension Console {
    func addAssets(to router: Router<ConsoleContext>) {
        for file in [assets.style, assets.script, assets.icon] {
            router.get(RouterPath(file.address)) { request, _ in file.response(to: request) }
        }
    }
}

extension Assets.File {
    /// The file, compressed for a browser that takes that.
    ///
    /// Files alone are compressed. A page never is: it has a form's token and may show secrets beside words that somebody else has chosen,
    /// such as a nickname, and the length of both compressed together would tell one guess from another (BREACH).
    fileprivate func response(to request: Request) -> Response {
        var headers: HTTPFields = [
            .contentType: type, .cacheControl: "public, max-age=31536000, immutable", .vary: "Accept-Encoding",
        ]
        // The header has the form of one with languages.
        let accepted = AcceptedLanguages.parse(request.headers[.acceptEncoding])
        guard let compressed, accepted.contains(where: { $0.lowercasedASCII == "gzip" }) else {
            return Response(status: .ok, headers: headers, body: .init(byteBuffer: bytes))
        }
        headers[.contentEncoding] = "gzip"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: compressed))
    }
}

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
