import GatehouseSecurity
import Testing

@testable import GatehouseConsole

@Suite struct FormValueTests {
    @Test("Forms are read as browsers send them")
    func reading() throws {
        let form = try FormValues(
            encoded: "name=+kim%20&text=a%0D%0Ab&empty=&user=A&user=B&x%5B%5D=%ED%95%9C&flag&a=b=c")
        #expect(form["name"] == "kim" && form.raw("name") == " kim ")
        #expect(form["text"] == "a\nb" && form["empty"] == nil && form["user"] == "A\nB")
        #expect(form["x[]"] == "한" && form["flag"] == nil && form["a"] == "b=c" && form["none"] == nil)
        #expect(try FormValues(encoded: form.encoded) == form)
        #expect(try FormValues(encoded: "").all.isEmpty)
        #expect(try FormValues(encoded: "t.en=Hi&t.ko=%ED%95%9C&tx=1&t.ja=").texts("t") == ["en": "Hi", "ko": "한"])
    }

    @Test(
        "What is no form is refused, and stops nothing",
        arguments: [
            "a=%", "a=%zz", "a=%ff", "%c0%af=1", "a=%ed%a0%80", "a=b%00c", "%00=1",
            String(repeating: "a=1&", count: 501), "a=" + String(repeating: "x", count: 262_144),
        ])
    func hostile(text: String) {
        #expect(throws: Refusal.self) { try FormValues(encoded: text) }
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
