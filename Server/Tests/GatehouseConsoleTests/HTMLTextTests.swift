import GatehouseLook
import Testing

@testable import GatehouseConsole

/// What foreign text can do to a page (CON-2).
@Suite struct HTMLTextTests {
    /// Each character of HTML, followed by what makes it another character for Swift.
    static let payloads: [String] =
        ["\"", "'", "<", ">", "&", "`", "="].flatMap { mark in
            ["", "\u{301}", "\u{200d}", "\u{fe0f}", "\u{20dd}"].map { "\(mark)\($0) autofocus onfocus=alert(1) x" }
        } + [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'-alert(1)-'", "</textarea><b>", "{{t}}",
            "{{{t}}}", "<!--", "]]>", "\u{0}", "\u{202e}gnp.exe", "\u{2066}a\u{2069}", "\u{feff}", "\r\n", "\u{1b}[2J",
            String(repeating: "<\u{301}", count: 21_845),
        ]

    private static let page = Template("page", #"<p title="{{text}}">{{text}}</p>{{> part}}"#)
    private static let part = Template("part", #"<input value="{{text}}">{{#text}}<b>{{.}}</b>{{/text}}"#)

    @Test("CON-2: no text adds an element, an attribute or an end to a template", arguments: payloads)
    func inert(text: String) throws {
        let html = try Templates([Self.page, Self.part]).render("page", ["text": text])
        let scalars = Array(html.unicodeScalars)
        func count(_ scalar: Unicode.Scalar) -> Int { scalars.count { $0 == scalar } }
        // p, its end, input, b, and its end.
        #expect(count("<") == 5 && count(">") == 5)
        #expect(count("\"") == 4 && count("'") == 0 && count("`") == 0 && count("=") == 2)
        #expect(!scalars.contains { $0.value < 0x20 && ![0x0a, 0x09].contains($0.value) })
        #expect(!scalars.contains { (0x202a...0x202e).contains($0.value) || (0x2066...0x2069).contains($0.value) })
    }

    @Test("Controls are shown as their numbers, and everything else as it is")
    func controls() {
        #expect(HTML.escaped("a\u{202e}b\u{0}") == "a⟨U+202E⟩b⟨U+0000⟩")
        #expect(HTML.escaped("한국어 日本語 👩‍🚀\n\té") == "한국어 日本語 👩‍🚀\n\té")
        #expect(HTML.escaped("") == "")
    }
}
