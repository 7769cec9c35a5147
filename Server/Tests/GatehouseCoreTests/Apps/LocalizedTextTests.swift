import GatehouseWire
import Testing

@testable import GatehouseCore

/// Which text a player reads, and how its language is named. `LanguageTagTests` has the choice itself.
@Suite struct LocalizedTextTests {
    @Test(
        "A player reads the text of a language by whatever name the device has for it",
        arguments: [
            (["zh-Hant-TW", "en-TW"], "TW"), (["zh-HK"], "TW"), (["zh-Hans-CN"], "CN"), (["zh"], "CN"), (["in"], "ID"),
            (["id-ID"], "ID"), (["pt"], "BR"), (["ko_KR"], "KO"), (["KO"], "KO"), (["fr", "ko-KR"], "KO"),
            // Neither has a text: the app's language, which is Korean here.
            (["fr"], "KO"), ([], "KO"), (["*", "", "한국어"], "KO"),
        ])
    func text(languages: [String], text: String) {
        let texts = LocalizedText(["en": "EN", "zh-TW": "TW", "zh-CN": "CN", "id": "ID", "pt-BR": "BR", "ko-KR": "KO"])
        #expect(texts.text(preferring: languages, fallback: "ko") == text)
    }

    @Test("Without a text in the player's language and in the app's, any text is read, and of none nothing")
    func anyText() {
        #expect(LocalizedText(["ja": "JA", "de": "DE"]).text(preferring: ["fr"], fallback: "en") == "DE")
        #expect(LocalizedText().text(preferring: ["en"], fallback: "en") == nil)
        // An earlier version has stored texts, and the app's language, under names that are none.
        #expect(LocalizedText(["jp": "JP", "en": "EN"]).text(preferring: ["ja"], fallback: "jp") == "JP")
        #expect(LocalizedText(["jp": "JP"]).text(preferring: ["ja"], fallback: "en") == "JP")
    }

    @Test("A language has one name in what is stored, and a text is one for everybody who reads its language")
    func names() {
        #expect(LocalizedText(["ko_KR": "KO", "ZH-Hant": "TW"]).texts == ["ko-kr": "KO", "zh-hant": "TW"])
        #expect(LocalizedText.language("ko_KR") == "ko-kr" && LocalizedText.language("korean") == nil)
        let text = LocalizedText(["zh-TW": "TW"])
        #expect(text.isWritten(in: "zh-hant-hk") && !text.isWritten(in: "ko"))
    }
}
