import Testing

@testable import GatehousePlatform

@Suite struct TextTests {
    @Test("Spaces of every kind are cut off at the ends, and line breaks only where this is asked for")
    func trimming() {
        #expect(" \t\u{a0}\u{3000} a b \u{2003}".trimmingSpaces() == "a b")
        #expect("\n a \r\n".trimmingSpaces() == "\n a \r\n")
        #expect("\r\n\u{85}\u{2028}\t a\nb \u{b}\u{c}\n".trimmingWhitespace() == "a\nb")
        #expect("".trimmingWhitespace().isEmpty && " \n".trimmingWhitespace().isEmpty && "\t ".trimmingSpaces().isEmpty)
        #expect("\u{feff}\u{200b} a\u{200d} \u{2060}".trimmingWhitespace() == "a\u{200d}")
        #expect("==a=b=".trimming { $0 == "=" } == "a=b")
        #expect("xay".dropFirst().trimmingSpaces() == "ay")
        // A mark that belongs to a space stays, as the letter does that it makes.
        #expect(" \u{301}a ".trimmingSpaces() == "\u{301}a")
    }

    @Test("A text is composed as Unicode Annex 15 says, whichever keyboard has taken it apart")
    func composed() {
        for (apart, whole) in [
            ("cafe\u{301}", "caf\u{e9}"), ("\u{1112}\u{1161}\u{11ab}\u{ae00}", "\u{d55c}\u{ae00}"),
            ("\u{30ab}\u{3099}", "\u{30ac}"), ("\u{212b}\u{2126}", "\u{c5}\u{3a9}"),
            ("q\u{307}\u{323}", "q\u{323}\u{307}"),
            ("\u{958}", "\u{915}\u{93c}"), ("\u{ff21}\u{fb01}", "\u{ff21}\u{fb01}"), ("plain", "plain"), ("", ""),
        ] {
            // Swift takes both for equal, and their bytes are not.
            #expect(Array(apart.composed.utf8) == Array(whole.utf8), "\(whole)")
            #expect(Array(whole.composed.utf8) == Array(whole.utf8), "\(whole)")
        }
        #expect("xcafe\u{301}".dropFirst().composed.utf8.count == 5)
    }

    @Test("Names, ids and codes are read as people type and paste them")
    func typed() {
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        #expect("\u{202a}\u{a0}Ｋim.Min\u{200b}\u{202c}\u{feff}".typedName == "kim.min")
        #expect("\u{200e}\u{212a}im\u{2060} ".typedName == "kim" && "Ｋｉｍ_１".typedName == "kim_1")
        #expect("ä B".typedName == "ä b" && "".typedName.isEmpty && "\u{200b}\u{200f}".typedName.isEmpty)
        #expect(bytes("\u{3000}Ａbc１\u{feff}".typedText) == bytes("Abc1"))
        #expect(bytes(" e\u{301} \u{200d}x".typedText) == bytes("\u{e9} \u{200d}x"), "what stands within stays")
        for code in [
            "123456", "123 456", " 123-456\n", "１２３４５６", "１２３－４５６", "123\u{2011}456", "\u{202d}123\u{a0}456\u{202c}",
            "\u{feff}123456\u{200b}", "١٢٣٤٥٦", "१२३४५६", "12\u{ad}34\u{2013}56",
        ] { #expect(code.typedDigits == "123456", "\(code)") }
        for other in ["12345", "123456a", "①23456", "½23456", "一23456", "123.456", "123456\u{301}"] {
            #expect(other.typedDigits != "123456", "\(other)")
        }
        #expect("\u{200e}１mslｔ4r9－nsr3 zs7h\u{200b}".typedID == "1MSLT4R9NSR3ZS7H")
        #expect("Ｂan　CAFE\u{301}".folded == "ban caf\u{e9}")
    }

    @Test("A byte that is not ASCII is found wherever it stands, and in a text that is no single buffer")
    func ascii() {
        for length in 0..<40 {
            var bytes = [UInt8](repeating: 0x7f, count: length)
            #expect(bytes.withUnsafeBufferPointer(ASCII.isAll))
            for place in 0..<length {
                bytes[place] = 0x80
                #expect(!bytes.withUnsafeBufferPointer(ASCII.isAll), "\(place) of \(length)")
                #expect(!bytes.dropFirst(place).withUnsafeBufferPointer(ASCII.isAll))
                bytes[place] = 0
            }
        }
        #expect(ASCII.isAll("") && ASCII.isAll("a header's value") && !ASCII.isAll("a héader"))
        #expect(ASCII.isAll("xab".dropFirst()) && !ASCII.isAll("xaé".dropFirst()))
    }

    @Test(
        "Bytes become two digits each, but those of letters, digits and four marks",
        arguments: [
            ("", ""), ("aZ09-._~", "aZ09-._~"), ("a b+c/d?e=f&g%", "a%20b%2Bc%2Fd%3Fe%3Df%26g%25"), ("한", "%ED%95%9C"),
            ("👩‍🚀", "%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80"), ("\u{0}\n", "%00%0A"),
        ])
    func encoding(text: String, encoded: String) {
        #expect(text.percentEncoded == encoded)
        #expect(encoded.percentDecoded == text)
    }

    @Test(
        "What is no percent-encoding, or no UTF-8, is refused",
        arguments: ["%", "%4", "a%", "%zz", "%+1", "%-1", "% 1", "%ff", "%ed%a0%80", "%c0%80", "%e2%82", "%4\u{301}1"])
    func refused(text: String) {
        #expect(text.percentDecoded == nil)
    }

    @Test("Small digits are read, and a plus sign is itself")
    func decoding() {
        #expect("%ed%95%9c+a".percentDecoded == "한+a")
        #expect("xx%41".dropFirst(2).percentDecoded == "A")
    }

    @Test("Bytes have two hexadecimal digits each")
    func hexadecimal() {
        #expect([0, 9, 10, 171, 255].hexadecimal == "00090aabff")
        #expect([UInt8]().hexadecimal == "")
    }

    @Test("A part is found wherever its bytes stand, whatever characters they make with those beside them")
    func parts() {
        #expect("a=b".has("=") && "abc".has("bc") && "abc".has("abc") && !"abc".has("abcd") && !"abc".has("ac"))
        #expect(!"caf\u{e9}".has("e\u{301}") && "e\u{301}".has("e") && "e\u{301}".has("\u{301}"))
    }
}
