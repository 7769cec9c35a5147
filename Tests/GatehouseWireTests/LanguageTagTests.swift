import GatehouseWire
import Testing

@Suite struct LanguageTagTests {
    @Test(
        "A language finds the text that its readers read, whatever both are called",
        arguments: [
            // Chinese, as Apple's devices ask and as Gamebase names its texts.
            ("zh-Hant-TW", "zh-TW"), ("zh-Hant", "zh-TW"), ("zh-TW", "zh-TW"), ("zh-HK", "zh-TW"),
            ("zh-Hant-HK", "zh-TW"), ("zh-Hant-US", "zh-TW"), ("yue-Hant-HK", "zh-TW"), ("zh-yue", "zh-TW"),
            ("zh-Hans-CN", "zh-CN"), ("zh-Hans", "zh-CN"), ("zh", "zh-CN"), ("zh-SG", "zh-CN"),
            ("zh-Hans-TW", "zh-CN"), ("yue-Hans", "zh-CN"), ("cmn-Hans-CN", "zh-CN"), ("ZH_tw", "zh-TW"),
            // Codes that were replaced, and those of one language under two names.
            ("in", "id"), ("in-ID", "id"), ("id-ID", "id"), ("iw", "he"), ("he-IL", "he"), ("no", "nb"),
            ("nb-NO", "nb"), ("nn-NO", "nb"), ("tl-PH", "fil"), ("kor", "ko-KR"),
            // Regions.
            ("ko", "ko-KR"), ("ko_KR", "ko-KR"), ("ko-Kore-KR", "ko-KR"), ("pt", "pt-BR"), ("pt-PT", "pt-BR"),
            ("es-MX", "es-419"), ("es-AR", "es-419"), ("es-ES", "es-ES"), ("es", "es-ES"), ("en-AU", "en-GB"),
            ("en-IN", "en-GB"), ("en-US", "en"), ("en-CA", "en"), ("en-US-u-ca-gregory", "en"), ("sr-ME", "sr-Latn"),
            ("sr-Latn-RS", "sr-Latn"), ("sr-RS", "sr-Cyrl"),
        ])
    func found(preferred: String, name: String) {
        let names = [
            "en", "en-GB", "zh-TW", "zh-CN", "id", "he", "nb", "fil", "ko-KR", "pt-BR", "es-ES", "es-419", "sr-Latn",
            "sr-Cyrl",
        ]
        #expect(LanguageTag.best(of: names, for: [preferred]) == name)
    }

    @Test("One language has one text, under either of its names, in both directions")
    func aliases() {
        for (one, other) in [("in", "id"), ("iw", "he"), ("no", "nb"), ("tl", "fil"), ("zh", "zh-Hans-CN")] {
            #expect(LanguageTag.best(of: ["en", one], for: [other]) == one)
            #expect(LanguageTag.best(of: ["en", other], for: [one]) == other)
        }
    }

    @Test("Of several texts in a language the nearest one is chosen, whatever order they have")
    func nearest() {
        func best(_ names: [String], _ preferred: String) -> String? {
            let found = LanguageTag.best(of: names, for: [preferred])
            #expect(LanguageTag.best(of: names.reversed(), for: [preferred]) == found)
            return found
        }
        #expect(best(["zh-TW", "zh-HK", "zh-CN"], "zh-Hant-MO") == "zh-HK")
        #expect(best(["zh-Hant", "zh-HK"], "zh-Hant-HK") == "zh-HK")
        #expect(best(["zh", "zh-Hant"], "zh-TW") == "zh-Hant")
        #expect(best(["pt", "pt-BR"], "pt-BR") == "pt-BR" && best(["pt", "pt-PT"], "pt-AO") == "pt-PT")
        #expect(best(["pt", "pt-PT"], "pt-BR") == "pt" && best(["fr-CA", "fr-FR"], "fr-CH") == "fr-FR")
        #expect(best(["de-CH", "de"], "de-1996") == "de")
    }

    @Test("The first language that has a text counts, and another script only where no language has any")
    func order() {
        let names = ["en", "ko", "zh-CN"]
        #expect(LanguageTag.best(of: names, for: ["fr", "ko-KR", "en"]) == "ko")
        #expect(LanguageTag.best(of: names, for: ["zh-Hant-TW", "en-TW"]) == "en")
        #expect(LanguageTag.best(of: names, for: ["zh-Hant-TW"]) == "zh-CN")
        // A text in Chinese without more is for all.
        #expect(LanguageTag.best(of: ["en", "zh"], for: ["zh-Hant-TW", "en-TW"]) == "zh")
        #expect(LanguageTag.best(of: names, for: ["fr", "kok", "", "*"]) == nil)
        #expect(LanguageTag.best(of: [], for: ["en"]) == nil && LanguageTag.best(of: names, for: []) == nil)
    }

    @Test(
        "A tag has one name, in small letters and with hyphens",
        arguments: [
            ("ko_KR", "ko-kr"), ("zh-Hant-TW", "zh-hant-tw"), ("EN", "en"), ("es-419", "es-419"), ("fil", "fil"),
            ("de-1996", "de-1996"), ("ca-valencia", "ca-valencia"), ("en-x-pirate", "en-x-pirate"), ("no", "no"),
        ])
    func name(text: String, name: String) {
        #expect(LanguageTag(text)?.name == name)
        #expect(LanguageTag(name) == LanguageTag(text))
    }

    @Test(
        "What names no language is none",
        arguments: [
            "", "e", "korean", "jp", "cn", "ko-kor", "zh-TWN", "ko--KR", "-ko", "ko-", "ko KR", "ko.KR", "한국어", "12",
            "k1", "x-pirate", "en-toolongpart", "LANGUAGE", "zh-hant-hant", "ko-KR-JP", "e\u{301}n",
            String(repeating: "a", count: 36), "en-" + String(repeating: "a-", count: 20),
        ])
    func none(text: String) {
        #expect(LanguageTag(text) == nil)
    }
}
