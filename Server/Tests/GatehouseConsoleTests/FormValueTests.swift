import GatehousePlatform
import GatehouseSecurity
import Testing

@testable import GatehouseConsole
@testable import GatehouseCore

@Suite struct FormValueTests {
    @Test("Forms are read as browsers send them")
    func reading() throws {
        let form = try FormValues(
            encoded: "name=+kim%20&text=a%0D%0Ab&empty=&user=A&user=B&x%5B%5D=%ED%95%9C&flag&a=b=c".utf8)
        #expect(form["name"] == "kim" && form.raw("name") == " kim ")
        #expect(form["text"] == "a\nb" && form["empty"] == nil && form["user"] == "A\nB")
        #expect(form["x[]"] == "한" && form["flag"] == nil && form["a"] == "b=c" && form["none"] == nil)
        #expect(try FormValues(encoded: form.encoded.utf8) == form)
        #expect(try FormValues(encoded: "".utf8).all.isEmpty)
        let texts = InputValues(try FormValues(encoded: "t.en=Hi&t.ko=%ED%95%9C&tx=1&t.ja=".utf8).all).texts("t")
        #expect(texts == ["en": "Hi", "ko": "한"])
    }

    @Test(
        "What is too large for a form is refused",
        arguments: [String(repeating: "a=1&", count: 501), "a=" + String(repeating: "x", count: 262_144)])
    func hostile(text: String) {
        #expect(throws: Refusal.self) { try FormValues(encoded: text.utf8) }
    }

    @Test(
        "A field that is not well-formed is named, and keeps what can be read of it",
        arguments: [
            ("a=%", "a", "%"), ("a=%zz", "a", "%zz"), ("a=1%2", "a", "1%2"), ("a=%ff", "a", "\u{fffd}"),
            ("%c0%af=1", "\u{fffd}\u{fffd}", "1"), ("a=b%00c", "a", "bc"), ("a%00=1", "a", "1"), ("a=%%41", "a", "%A"),
        ])
    func unreadable(text: String, name: String, value: String) throws {
        let form = try FormValues(encoded: (text + "&b=%41").utf8)
        #expect(form.unreadable == [name] && form[name] == value && form["b"] == "A")
    }

    @Test("INP-1: no letter of a form has more marks than people write, and the text before and after them stays")
    func marks() throws {
        for marks in ["\u{301}", "\u{316}\u{301}\u{327}\u{345}", "\u{f73}", "\u{fe0f}"] {
            let form = try FormValues(encoded: "q=e\(String(repeating: marks, count: 20_000))z&b=1".utf8)
            let text = form.raw("q")
            #expect(form.unreadable == ["q"] && form["b"] == "1")
            #expect(text.unicodeScalars.first == "e" && text.unicodeScalars.last == "z")
            #expect(CombiningMarks.areFew(in: text))
            #expect(text.unicodeScalars.count == CombiningMarks.maximum + 2)
        }
    }

    @Test(
        "Addresses lead nowhere else after a sign-in",
        arguments: [
            "https://evil.example", "//evil.example", "/console", "/consoles", "/console\\evil", "/console/../../x y",
            "/console/sign-in", "javascript:alert(1)", "/console/a\r\nSet-Cookie: x", "",
        ])
    func local(address: String) {
        #expect(Console.local(address) == "/console")
    }

    @Test(
        "Pages of the console are led to as they were asked for",
        arguments: [
            "/console/apps/game/members?status=B&q=%ED%95%9C", "/console/me",
        ])
    func own(address: String) {
        #expect(Console.local(address) == address)
    }
}
