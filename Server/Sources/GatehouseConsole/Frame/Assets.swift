import Crypto
import GatehouseHTML
import GatehouseLook
import GatehousePlatform
import HTTPTypes
import Hummingbird
import NIOCore

/// The style sheet, which begins with what every page of Gatehouse shares, and the script. Their addresses change with their content, so browsers keep them for good.
struct Assets: Sendable {
    struct File: Sendable {
        let address: String
        let type: String
        let bytes: ByteBuffer
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
        return File(
            address: "\(Console.prefix)/assets/\(version)/\(name)", type: type, bytes: ByteBuffer(bytes: bytes))
    }

}

extension Assets: Markup {
    /// The head of a page. The page of somebody who is not signed in has no script.
    func head(_ title: String, hasScript: Bool) -> HTML {
        head {
            meta(Attribute("charset", "utf-8"))
            meta(.name("viewport"), Attribute("content", "width=device-width, initial-scale=1"))
            meta(.name("robots"), Attribute("content", "noindex"))
            link(.rel("stylesheet"), .href(style.address))
            link(.rel("icon"), .href(icon.address))
            self.title { "\(title) · Gatehouse" }
            if hasScript { self.script(src: script.address) }
        }
    }
}

extension Console {
    func addAssets(to router: Router<ConsoleContext>) {
        for file in [assets.style, assets.script, assets.icon] {
            router.get(RouterPath(file.address)) { _, _ in
                Response(
                    status: .ok,
                    headers: [.contentType: file.type, .cacheControl: "public, max-age=31536000, immutable"],
                    body: .init(byteBuffer: file.bytes))
            }
        }
    }
}
