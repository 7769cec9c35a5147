import Testing

@testable import GatehousePlatform

@Suite struct TextTests {
    @Test("Spaces of every kind are cut off at the ends, and line breaks only where this is asked for")
    func trimming() {
        #expect(" \t\u{a0}\u{3000} a b \u{2003}".trimmingSpaces() == "a b")
        #expect("\n a \r\n".trimmingSpaces() == "\n a \r\n")
        #expect("\r\n\u{85}\u{2028}\t a\nb \u{b}\u{c}\n".trimmingWhitespace() == "a\nb")
        #expect("".trimmingWhitespace().isEmpty && " \n".trimmingWhitespace().isEmpty && "\t ".trimmingSpaces().isEmpty)
        #expect("==a=b=".trimming { $0 == "=" } == "a=b")
        #expect("xay".dropFirst().trimmingSpaces() == "ay")
        // A mark that belongs to a space stays, as the letter does that it makes.
        #expect(" \u{301}a ".trimmingSpaces() == "\u{301}a")
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
