import Crypto
import Foundation
import GatehouseCore
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// The page that a player's browser shows at the end of a login: plain, without scripts, in the player's language.
struct LoginPage: Sendable {
    enum Outcome: String, Sendable {
        case success, cancelled, failed
        /// The attempt has already ended, or never existed.
        case over
    }

    let outcome: Outcome
    let languages: [String]
    /// Where the browser is redirected automatically.
    var target: String?

    private static let titles: [Outcome: LocalizedText] = [
        .success: LocalizedText(["en": "You are logged in", "ko": "로그인되었습니다", "ja": "ログインしました"]),
        .cancelled: LocalizedText(["en": "The login was cancelled", "ko": "로그인이 취소되었습니다", "ja": "ログインをキャンセルしました"]),
        .failed: LocalizedText(["en": "The login failed", "ko": "로그인하지 못했습니다", "ja": "ログインできませんでした"]),
        .over: LocalizedText(["en": "This login is over", "ko": "이미 끝난 로그인입니다", "ja": "このログインは終了しています"]),
    ]

    private static let texts: [Outcome: LocalizedText] = [
        .success: LocalizedText([
            "en": "Go back to the game. You can close this page.", "ko": "게임으로 돌아가세요. 이 페이지는 닫아도 됩니다.",
            "ja": "ゲームに戻ってください。このページは閉じてかまいません。",
        ]),
        .cancelled: LocalizedText([
            "en": "Nothing has changed. Go back to the game to try again.", "ko": "변경된 것은 없습니다. 다시 하려면 게임으로 돌아가세요.",
            "ja": "何も変更されていません。やり直すにはゲームに戻ってください。",
        ]),
        .failed: LocalizedText([
            "en": "Go back to the game and try again, or choose another way to log in.",
            "ko": "게임으로 돌아가 다시 시도하거나 다른 로그인 방법을 선택하세요.", "ja": "ゲームに戻ってもう一度試すか、別のログイン方法を選んでください。",
        ]),
        .over: LocalizedText([
            "en": "Each login page works once and for ten minutes. Begin a new login in the game.",
            "ko": "로그인 페이지는 10분 안에 한 번만 사용할 수 있습니다. 게임에서 다시 로그인하세요.",
            "ja": "ログインページは10分以内に一度だけ使えます。ゲームからもう一度ログインしてください。",
        ]),
    ]

    private static let style = """
        :root { color-scheme: light dark }
        body { font: 1.125rem/1.6 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid; place-items: center }
        main { max-width: 30rem; padding: 2rem }
        h1 { font-size: 1.5rem; line-height: 1.3 }
        """

    /// The only style that the page's content security policy allows.
    private static let styleHash = "sha256-\(Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString())"

    private static let link = LocalizedText(["en": "Back to the game", "ko": "게임으로 돌아가기", "ja": "ゲームに戻る"])

    func response(_ status: HTTPResponse.Status? = nil) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; style-src '\(Self.styleHash)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            .xContentTypeOptions: "nosniff",
        ]
        // The address contains a code, which must stay between browser and game.
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        if let target { headers[.location] = target }
        let body = ByteBuffer(string: html)
        return Response(
            status: status ?? (target == nil ? .ok : .seeOther), headers: headers, body: .init(byteBuffer: body))
    }

    private var language: String {
        languages.lazy.map { String($0.lowercased().prefix { $0 != "-" }) }.first { ["en", "ko", "ja"].contains($0) }
            ?? "en"
    }

    private func text(_ text: LocalizedText?) -> String {
        text?.text(preferring: [language], fallback: "en") ?? ""
    }

    private var html: String {
        let title = text(Self.titles[outcome])
        let way = target.map { #"<p><a href="\#(Self.escaped($0))">\#(text(Self.link))</a></p>"# } ?? ""
        return """
            <!doctype html>
            <html lang="\(language)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            <p>\(text(Self.texts[outcome]))</p>
            \(way)
            </main>
            </body>
            </html>

            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
    }
}
