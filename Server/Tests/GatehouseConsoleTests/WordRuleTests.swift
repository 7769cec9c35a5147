import Foundation
import GatehouseCore
import GatehouseSecurity
import Testing

@testable import GatehouseConsole

/// What every text of the console keeps to: words before codes, one name for one thing, and the grammar of each language.
@Suite struct WordRuleTests {
    private static func all(_ language: String) -> [(key: String, text: String)] {
        Words.catalog(language).sorted { $0.key < $1.key }.map { (key: $0.key, text: $0.value) }
    }

    /// Words of before, and of one language only, with what is said instead.
    private static let former: [String: [(word: String, instead: String)]] = [
        "en": [
            (#"\b[Ww]ithdraw"#, "delete the account"), (#"\b[Mm]app(?:ed|ing|ings|s)\b|\b[Mm]ap\b"#, "link, identity"),
            (#"\b[Ll]aunching\b"#, "service status"), (#"\b[Pp]resent (?:password|app)\b"#, "current"),
            (#"\bfor good\b"#, "permanently"), (#"\bone (?:in )?a line\b"#, "one per line"),
            (#"\bis over\b.*\blink\b|\blink is over\b"#, "has expired"), (#"\bmend\b"#, "fix"),
            (#"\b[Vv]oid"#, "revoke"),
            (#"\b[Rr]eissue"#, "issue new"), (#"\b[Ii]t counts on\b"#, "it takes effect on"),
            (#"\bnot noted\b"#, "never used"), (#"\bWhere from\b"#, "details"),
        ],
        "ko": [
            ("탈퇴", "계정 삭제"), ("매핑", "연동, 인증 정보"), ("론칭", "서비스 상태"), ("인증 사업자|IdP", "인증 제공자"),
            ("거절", "거부"), ("이용정지", "이용 정지"),
        ],
        "ja": [
            ("退会", "アカウント削除"), ("マッピング", "連携、認証情報"), ("ローンチング", "サービス状態"), ("IdP", "認証プロバイダー"),
            ("サインイン", "ログイン"), ("引き継ぎ", "移行"), ("デバイス", "端末"), ("運用者", "運営者"),
            ("二段階|2要素", "2段階認証"), ("復旧コード", "リカバリーコード"), ("(?:^|[^効])期限切れ", "有効期限切れ"),
        ],
    ]

    @Test("A thing has one name, which is that of the field", arguments: Words.languages)
    func names(language: String) throws {
        let former = try #require(Self.former[language])
        for (word, instead) in former {
            let expression = try Regex(word)
            for (key, text) in Self.all(language) {
                #expect(text.firstMatch(of: expression) == nil, "\(key) says \(word), not \(instead): \(text)")
            }
        }
    }

    @Test("Words come before codes", arguments: Words.languages)
    func codes(language: String) {
        for (key, text) in Self.all(language) {
            #expect(text.prefixMatch(of: /\{code\}|\d{3,}\b|[A-Z]+_[A-Z]/) == nil, "\(key): \(text)")
        }
    }

    /// Names that are written in the same way everywhere.
    private static let common: Set = ["ID", "OS", "CSV", "Ctrl K", "OpenID Connect"]
    private static let brands = ["provider.name.", "provider.kind.", "system.", "store.", "alerts.type."]

    @Test("Each text is in the letters of its language, but for names", arguments: ["ko", "ja"])
    func letters(language: String) {
        let own = language == "ko" ? /[가-힣]/ : /[\u{3040}-\u{30ff}\u{4e00}-\u{9fff}]/
        let foreign = language == "ko" ? /[\u{3040}-\u{30ff}]/ : /[가-힣]/
        for (key, text) in Self.all(language) {
            #expect(text.firstMatch(of: foreign) == nil, "\(key): \(text)")
            guard text.replacing(/\{[^}]*\}/, with: "").contains(/[A-Za-z]/) else { continue }
            let isName = Self.common.contains(text) || Self.brands.contains { key.hasPrefix($0) }
            #expect(isName || text.contains(own), "\(key): \(text)")
        }
    }

    @Test("A Korean particle that depends on a sound never follows a value, whose sound nobody knows")
    func particles() {
        let particle =
            /\}[)”\]]*(?:(?:을|를|은|는|이|가|과|와|로|으로|이나|나|이라|라)(?![가-힣])|이었|였|\((?:으|을|이|은|와|과)\))/
        for (key, text) in Self.all("ko") {
            #expect(text.firstMatch(of: particle) == nil, "\(key): \(text)")
            #expect(text.firstMatch(of: /[을은이과으]\((?:를|는|가|와|로)\)|\((?:을|은|이|과|으)\)/) == nil, "\(key): \(text)")
        }
    }

    @Test("A form for one or none belongs to a text, and a choice of forms has two", arguments: Words.languages)
    func forms(language: String) {
        let texts = Words.catalog(language)
        let english = Words.catalog("en")
        func values(_ text: String) -> Set<String> {
            Set(text.matches(of: /\{([A-Za-z]+)(?:\|[^}]*)?\}/).map { String($0.output.1) })
        }
        for (key, text) in texts {
            if key.hasSuffix(".one") { #expect(texts[String(key.dropLast(4))]?.contains("{count}") == true, "\(key)") }
            if key.hasSuffix(".zero") { #expect(texts[String(key.dropLast(5))]?.contains("{count}") == true, "\(key)") }
            for match in text.matches(of: /\{[A-Za-z]+(\|[^}]*)\}/) {
                #expect(match.output.1.count { $0 == "|" } == 2, "\(key): \(text)")
            }
            #expect(text.count { $0 == "{" } == text.count { $0 == "}" }, "\(key): \(text)")
            if let original = english[key] { #expect(values(text).isSubset(of: values(original)), "\(key): \(text)") }
        }
    }

    @Test("Numbers that pages show are grouped: none is put into a text as it is")
    func numbers() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/GatehouseConsole").standardizedFileURL
        let files = (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(files.count > 30)
        // What somebody types has no commas.
        for file in files where file.lastPathComponent != "TypedCommand.swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let match = text.firstMatch(
                of: /"(?:count|total|tries|days|most|reads|writes|percent)": (?:String\(|"\\\()/)
            #expect(match == nil, "\(file.lastPathComponent): \(match?.output ?? "")")
        }
        #expect(
            Words.number(999) == "999" && Words.number(50_000) == "50,000" && Words.number(-1_234_567) == "−1,234,567")
        #expect(Words.number(UInt64.max).hasSuffix(",807"))
        #expect(PhraseFormatter.english(at: .init(milliseconds: 0)).text(.count(3_650)) == "3,650")
    }

    @Test(
        "Times are said in the reader's language",
        arguments: [
            ("en", "2 days 3 hours ago", "in 5 minutes", "1,200 days"), ("ko", "2일 3시간 전", "5분 후", "1,200일"),
            ("ja", "2日3時間前", "5分後", "1,200日"),
        ])
    func times(language: String, past: String, soon: String, long: String) {
        let local = LocalTime(
            zone: "Asia/Seoul", now: .init(milliseconds: 1_000_000_000_000), words: Words.of([language]))
        #expect(local.relative(local.now.adding(seconds: -(2 * 86_400 + 3 * 3_600))) == past)
        #expect(local.relative(local.now.adding(seconds: 300)) == soon)
        #expect(local.duration(seconds: 1_200 * 86_400) == long)
    }
}
