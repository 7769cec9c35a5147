import GatehouseCore
import GatehouseHTML
import GatehouseLook
import GatehouseWire
import HTTPTypes
import Hummingbird

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

    private static let link = LocalizedText(["en": "Back to the game", "ko": "게임으로 돌아가기", "ja": "ゲームに戻る"])

    func response(_ status: HTTPResponse.Status? = nil) -> Response {
        var headers = HTTPFields()
        // The address contains a code, which must stay between browser and game.
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        if let target { headers[.location] = target }
        return page.response(status ?? (target == nil ? .ok : .seeOther), headers: headers)
    }

    private func text(_ text: LocalizedText?) -> String {
        text?.text(preferring: languages, fallback: "en") ?? ""
    }

    private var page: PlainPage {
        let way =
            target.map { #"<p><a class="button primary" href="\#(HTML.escaped($0))">\#(text(Self.link))</a></p>"# }
            ?? ""
        return PlainPage(
            text(Self.titles[outcome]), language: LocalizedText.language(ofPagesFor: languages), form: .message,
            content: "<p>\(text(Self.texts[outcome]))</p>\(way)")
    }
}

extension LocalizedText {
    /// The language of a page whose texts are in English, Korean and Japanese.
    static func language(ofPagesFor languages: [String]) -> String {
        LocalizedText(["en": "en", "ko": "ko", "ja": "ja"]).text(preferring: languages, fallback: "en") ?? "en"
    }
}
