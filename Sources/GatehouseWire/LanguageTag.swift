/// A language as a tag names it (BCP 47), such as `zh-Hant-TW`, and the choice among the languages of a text.
///
/// Devices, games and operators name one language in several ways. An iPhone in Taiwan asks for `zh-Hant-TW` and finds a text that is
/// named `zh-TW`, as Gamebase names it; `zh` finds `zh-CN`, `pt` finds `pt-BR`, and `in`, `iw` and `no` find `id`, `he` and `nb`. The server and
/// the SDK choose by this type, so that they choose alike.
///
/// What is known about languages is a small part of Unicode's CLDR 45 (`common/supplemental`: `supplementalMetadata.xml`,
/// `likelySubtags.xml`, `supplementalData.xml` and `languageInfo.xml`), and the codes of ISO 639-1 with those of ISO 639-2.
public struct LanguageTag: Sendable, Hashable {
    /// The tag in small letters and with hyphens, such as `zh-hant-tw`.
    public let name: String
    private let language: String
    /// The script, also where the tag leaves it to be understood; nil for a language that has one.
    private let script: String?
    /// The region, also where the tag leaves it to be understood; nil where it makes no difference.
    private let region: String?
    /// Whether the tag is the language alone.
    private let isBare: Bool

    /// Reads a tag. Case does not count, and a low line counts as a hyphen: `ko_KR` is `ko-KR`.
    ///
    /// - Parameter text: two to 35 bytes.
    /// - Returns: nil for what is no language, such as `korean`, `jp` or `ko-kor`.
    public init?(_ text: String) {
        guard (2...35).contains(text.utf8.count) else { return nil }
        var parts = text.utf8.split(omittingEmptySubsequences: false) { Self.separators.contains($0) }
            .map { String(decoding: $0.map(Self.small), as: UTF8.self) }[...]
        guard parts.allSatisfy(Self.isPart) else { return nil }
        name = parts.joined(separator: "-")
        guard let first = parts.popFirst(), var language = Self.language(first) else { return nil }
        // `zh-yue` is `yue`.
        if language == "zh", let extended = parts.first, Self.chinese.contains(extended) {
            language = Self.codes[extended] ?? extended
            parts.removeFirst()
        }
        var (script, region): (String?, String?) = (nil, nil)
        if let part = parts.first, part.utf8.count == 4, part.utf8.allSatisfy(Self.isLetter) {
            script = part
            parts.removeFirst()
        }
        if let part = parts.first, Self.isRegion(part) {
            region = part
            parts.removeFirst()
        }
        // What may follow are variants of a spelling, and extensions. They don't count.
        if let part = parts.first {
            let startsWithDigit = part.utf8.first.map { !Self.isLetter($0) } ?? false
            guard part.utf8.count == 1 || part.utf8.count > (startsWithDigit ? 3 : 4) else { return nil }
        }
        isBare = script == nil && region == nil
        script = script ?? Self.scripts[language].map { $0.regions[region ?? ""] ?? $0.usual }
        self.language = language
        self.script = script
        self.region = region ?? Self.usualRegion(of: language, script)
    }

    // MARK: The choice

    /// The language of a text that serves somebody best; nil if none does.
    ///
    /// Each of the preferred languages finds a text in it: best one of the same region, then one of a region that writes alike, such as
    /// `es-419` for `es-MX`, then any other in the same script, and then one whose tag is the language alone. If none of them has any, the
    /// same language in another script is better than a foreign one.
    ///
    /// - Parameters:
    ///   - names: the languages that have a text.
    ///   - preferred: the languages that somebody reads, the best one first.
    /// - Returns: one of the names, as it was given.
    public static func best(of names: [String], for preferred: [String]) -> String? {
        let texts = names.compactMap { name in LanguageTag(name).map { (name: name, tag: $0) } }
        let wanted = preferred.compactMap { LanguageTag($0) }.flatMap { [$0] + $0.substitutes }
        for inAnyScript in [false, true] {
            for tag in wanted {
                let found = texts.compactMap { text in
                    tag.distance(to: text.tag, inAnyScript: inAnyScript).map { (distance: $0, name: text.name) }
                }
                if let best = found.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) { return best.name }
            }
        }
        return nil
    }

    /// How far a text in a language is from somebody who reads this one; nil if it does not serve.
    private func distance(to text: LanguageTag, inAnyScript: Bool) -> Int? {
        guard language == text.language else { return nil }
        if name == text.name { return 0 }
        if let script, let other = text.script, script != other {
            // A text in `zh` is often the only Chinese one, for all.
            return text.isBare ? 5 : inAnyScript ? 6 : nil
        }
        if region == text.region { return 1 }
        let key = Self.key(language, script)
        if let near = Self.regionsThatWriteAlike[key], let region, let other = text.region,
            near.contains(region) == near.contains(other)
        {
            return 2
        }
        return text.isBare || text.region == Self.usualRegion(of: language, script) ? 3 : 4
    }

    /// A language that nearly everybody who prefers this one reads as well.
    private var substitutes: [LanguageTag] {
        switch language {
        case "nn": [LanguageTag("nb")].compactMap { $0 }
        case "yue": [LanguageTag("zh-\(script ?? "hant")-\(region ?? "hk")")].compactMap { $0 }
        default: []
        }
    }

    // MARK: Reading

    private static let separators = "-_".utf8

    private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isPart(_ part: String) -> Bool {
        (1...8).contains(part.utf8.count) && part.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    /// Two letters of ISO 3166-1 or three digits of UN M.49.
    private static func isRegion(_ part: String) -> Bool {
        part.utf8.count == 2 && part.utf8.allSatisfy(isLetter) || part.utf8.count == 3 && part.utf8.allSatisfy(isDigit)
    }

    /// The code that is used for a language; nil for what is none. Of the thousands of languages with three letters every one may be meant.
    private static func language(_ code: String) -> String? {
        guard code.utf8.allSatisfy(isLetter), (2...3).contains(code.utf8.count) else { return nil }
        return codes[code] ?? (code.utf8.count == 3 ? code : nil)
    }

    private static func usualRegion(of language: String, _ script: String?) -> String? {
        regions[key(language, script)] ?? regions[language]
    }

    private static func key(_ language: String, _ script: String?) -> String {
        script.map { "\(language)-\($0)" } ?? language
    }

    // MARK: What is known

    /// Codes that have been replaced, and those of languages that are a part of another.
    private static let replaced = [
        "cmn": "zh", "in": "id", "iw": "he", "ji": "yi", "jw": "jv", "mo": "ro", "no": "nb", "tl": "fil",
    ]

    /// Chinese languages that a tag may have after `zh`.
    private static let chinese: Set<String> = ["cmn", "gan", "hak", "hsn", "nan", "wuu", "yue"]

    /// The languages in which texts are written in several scripts: the usual one, and that of some regions.
    private static let scripts: [String: (usual: String, regions: [String: String])] = [
        "az": ("latn", ["iq": "arab", "ir": "arab", "ru": "cyrl"]), "pa": ("guru", ["pk": "arab"]),
        "sr": ("cyrl", ["me": "latn", "ro": "latn", "ru": "latn", "tr": "latn"]),
        "uz": ("latn", ["af": "arab", "cn": "cyrl"]), "yue": ("hant", ["cn": "hans"]),
        "zh": (
            "hans",
            [
                "au": "hant", "bn": "hant", "gb": "hant", "gf": "hant", "hk": "hant", "id": "hant", "mo": "hant",
                "pa": "hant", "pf": "hant", "ph": "hant", "sr": "hant", "th": "hant", "tw": "hant", "us": "hant",
                "vn": "hant",
            ]
        ),
    ]

    /// The region that is meant where a tag has none, for the languages that are written in several.
    private static let regions = [
        "ar": "eg", "de": "de", "en": "us", "es": "es", "fr": "fr", "it": "it", "nl": "nl", "pt": "br", "sv": "se",
        "yue-hans": "cn", "yue-hant": "hk", "zh-hans": "cn", "zh-hant": "tw",
    ]

    /// Regions in which a language is written alike, and unlike in all others.
    private static let regionsThatWriteAlike: [String: Set<String>] = [
        "en": ["as", "ca", "gu", "mh", "mp", "ph", "pr", "um", "us", "vi"], "es": ["ea", "es", "gq", "ic", "ph"],
        "pt": ["br"], "zh-hant": ["hk", "mo"],
    ]

    /// The codes of two and of three letters, with the code that is used.
    private static let codes: [String: String] = {
        var codes = replaced
        for pair in pairs.utf8.split(separator: UInt8(ascii: " ")) {
            let both = pair.split(separator: UInt8(ascii: ":")).map { String(Substring($0)) }
            guard both.count == 2 else { continue }
            let used = replaced[both[0]] ?? both[0]
            (codes[both[0]], codes[both[1]]) = (used, used)
        }
        return codes
    }()

    private static let pairs = """
        aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul \
        bh:bih bi:bis bm:bam bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces cu:chu cv:chv \
        cy:cym da:dan de:deu dv:div dz:dzo ee:ewe el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas ff:ful fi:fin \
        fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv \
        ht:hat hu:hun hy:hye hz:her ia:ina id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl it:ita iu:iku ja:jpn \
        jv:jav ka:kat kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor \
        ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal \
        mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav \
        ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run ro:ron \
        ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag si:sin sk:slk sl:slv sm:smo sn:sna so:som sq:sqi sr:srp \
        ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur \
        ts:tso tt:tat tw:twi ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid \
        yo:yor za:zha zh:zho zu:zul
        """
}
