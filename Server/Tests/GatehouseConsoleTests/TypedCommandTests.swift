import GatehouseSecurity
import Testing

@testable import GatehouseConsole

/// What is made of words that ask for a change.
@Suite struct TypedCommandTests {
    private static let id = "1MSLT4R9NSR3ZS7H"

    private static func local(_ language: String = "en") -> LocalTime {
        LocalTime(zone: nil, now: Moment(milliseconds: 1_795_219_200_000), words: Words.of([language]))
    }

    private static let lengths = Field(
        "length", "How long",
        .choice([
            .init("1h", "1 hour"), .init("3d", "3 days"), .init("for-good", "Permanently"),
            .init("until", "Until a date and time"),
        ]))
    private static let ban = [
        lengths, Field("until", "Until", .time),
        Field("template", "Text", .choice([.init("", "No text"), .init("7", "Real money trading")])),
    ]

    private static func fill(_ text: String, _ fields: [Field] = ban, language: String = "en") -> FilledFields {
        let command = TypedCommand(text)
        return FilledFields(command.arguments, in: fields, hasVerb: command.verb == nil, local(language))
    }

    @Test("The verb stands before the member, or at the end")
    func verb() {
        let command = TypedCommand("Kick out  1mslt4r9-nsr3-zs7h now")
        #expect(command.verb?.all == ["kick", "out"] && command.member == Self.id && command.arguments == ["now"])
        let last = TypedCommand("\(Self.id) 3일 이용 정지")
        #expect(last.verb == nil && last.arguments == ["3일", "이용", "정지"] && last.mayAsk(for: "이용 정지"))
        let beginning = TypedCommand("release 1MSL")
        #expect(beginning.member == "1MSL" && beginning.mayAsk(for: "Release the ban"))
        #expect(!beginning.mayAsk(for: "Ban") && !TypedCommand(Self.id).mayAsk(for: "Ban"))
    }

    @Test("Full-width letters, letters that were taken apart, and marks of a copy are words as others are")
    func anyKeyboard() {
        let wide = TypedCommand("ｂａｎ　１ｍｓｌｔ４ｒ９－ｎｓｒ３－ｚｓ７ｈ　３　ｄａｙｓ")
        #expect(wide.member == Self.id && wide.verb?.all == ["ban"])
        #expect(Self.fill("ban \(Self.id) ３　ｄａｙｓ").values == ["length": "3d"])
        #expect(Self.fill("ban \(Self.id) ５ d").values["length"] == "until")
        let copied = TypedCommand("\u{202a}ban\u{202c} \u{200e}\(Self.id)\u{200b}")
        #expect(copied.member == Self.id && copied.mayAsk(for: "Ban"))
        #expect(TypedCommand("ban \(Self.id)，1MSLT4R9NSR3ZS8H").list.count == 2)
        let apart = "\u{110e}\u{1161}\u{1103}\u{1161}\u{11ab}"
        #expect(FindWords(apart).match("이용 차단") && FindWords("차단").match("이용 \(apart)"))
        let rule = [Field("below", "Below version")]
        #expect(Self.fill("ｂｅｌｏｗ ２．０", rule).values == ["below": "2.0"])
        // A reason stays as it is typed.
        let note = [Field("text", "Note", .lines)]
        #expect(Self.fill("note \(Self.id) ＢＯＴ！", note).values == ["text": "ＢＯＴ！"])
        #expect(!FindWords("\u{200e}").isEnough && FindWords("\u{200e} ban").all == ["ban"])
    }

    @Test(
        "What is no id is no member", arguments: ["ban", "3302", "1MS", "grace ban", "lost phone", "", "AAAA", "77777"])
    func noMember(text: String) {
        #expect(TypedCommand(text).member == nil)
    }

    @Test("A list of members is typed with spaces, with commas, or as a box pastes it, without line breaks")
    func list() {
        let (one, two, three) = (Self.id, "1MSLT4R9NSR3ZS8H", "1MSLT4R9NSR3ZS9H")
        for text in [
            "\(one) \(two) \(three)", "\(one),\(two), \(three)", one + two + three, "\(one)\(two) \(three);",
            "\(one.lowercased()) \(two) \(one) \(three)",
        ] {
            let command = TypedCommand("ban \(text) 3 days")
            #expect(command.list == [one, two, three] && command.arguments == ["3", "days"], "\(text)")
            #expect(command.verb?.all == ["ban"])
            let bare = TypedCommand(text)
            #expect(bare.list.count == 3 && bare.verb == nil && bare.arguments.isEmpty, "\(text)")
        }
        // One member is no list, nor are words of which some are no ids, and commas of a note stay.
        for text in [one, "\(one) \(one)", "ban \(one) 1MSL", "note \(one) lost, found"] {
            #expect(TypedCommand(text).list.isEmpty, "\(text)")
        }
        #expect(TypedCommand("note \(one) lost, found").arguments == ["lost,", "found"])
        #expect(TypedCommand(String(repeating: "1", count: 32)).list.isEmpty)
    }

    @Test("A version is typed beside the word of its field, on either side")
    func version() {
        let rule = [
            Field("os", "System", .choice([.init("", "Every system"), .init("IOS", "iOS (IOS)")])),
            Field("from", "From version"), Field("below", "Below version"),
            Field("status", "Status", .choice([.init("201", "Update recommended"), .init("300", "Update required")])),
        ]
        #expect(Self.fill("force update below 2.0", rule).values == ["below": "2.0"])
        #expect(Self.fill("force update below 2.0", rule).rest == ["force", "update"])
        let all = Self.fill("update required ios from 1.9.1 below 2.0", rule)
        #expect(all.values == ["os": "IOS", "from": "1.9.1", "below": "2.0", "status": "300"] && all.rest.isEmpty)
        #expect(Self.fill("2.0 미만 강제 업데이트", [Field("below", "미만 버전")], language: "ko").values == ["below": "2.0"])
        let japanese = [Field("below", "上限バージョン（未満）")]
        #expect(Self.fill("2.0 未満 強制アップデート", japanese, language: "ja").values == ["below": "2.0"])
        for text in [
            "below 2", "below two.0", "below .", "below 1.2.3.4.5", "below", "beyond 2.0", "below 2.0.9999999",
        ] {
            #expect(Self.fill("rule \(text)", rule).values.isEmpty, "\(text)")
        }
    }

    @Test("A choice is typed by its words, their beginning, or its value")
    func choice() {
        for text in ["3 days", "3 day", "3d", "3 DAYS"] {
            let filled = Self.fill("ban \(Self.id) \(text)")
            #expect(filled.values == ["length": "3d"] && filled.rest.isEmpty, "\(text)")
        }
        let both = Self.fill("ban \(Self.id) real money trading permanently")
        #expect(both.values == ["template": "7", "length": "for-good"])
    }

    @Test("Another length is a moment in the reader's zone")
    func length() {
        for text in ["5 days", "5d", "5 d"] {
            let filled = Self.fill("ban \(Self.id) \(text)")
            #expect(filled.values == ["length": "until", "until": "2026-11-26T00:00"], "\(text): \(filled.values)")
        }
        #expect(Self.fill("이용 정지 \(Self.id) 5일", language: "ko").values["until"] == "2026-11-26T00:00")
        #expect(Self.fill("ban \(Self.id) 99999 days").values.isEmpty)
    }

    @Test("The rest is the text of the first field that takes one, unless it may be the verb")
    func sentence() {
        let note = [Field("pinned", "Pinned", .check), Field("text", "Note", .lines)]
        #expect(Self.fill("note \(Self.id) lost the phone", note).values == ["text": "lost the phone"])
        #expect(Self.fill("\(Self.id) add note", note).values.isEmpty)
        let last = Self.fill("\(Self.id) 3d ban")
        #expect(last.values == ["length": "3d"] && FindWords(last.rest).match("Ban"))
    }

    @Test("Hostile words fill in nothing, and nothing takes long")
    func hostile() {
        for word in [
            "%00", "\u{301}\u{301}", "👩‍🚀", "-1", "9223372036854775808d", String(repeating: "7 days ", count: 60),
        ] {
            _ = Self.fill("ban \(Self.id) \(word)")
            #expect(!FindWords(word).match("Ban") || word.isEmpty)
        }
        #expect(!FindWords("a").match("A ban") && FindWords("정지").match("이용 정지"))
    }
}
