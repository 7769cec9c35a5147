import GatehouseHTML
import Testing

/// What foreign text can do to a page (CON-2).
@Suite struct HTMLTextTests: Markup {
    private static func text(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

    /// Each character of HTML, followed by what makes it another character for Swift.
    static let payloads: [String] =
        ["\"", "'", "<", ">", "&", "`", "="].flatMap { mark in
            ["", "\u{301}", "\u{200d}", "\u{fe0f}", "\u{20dd}"].map { "\(mark)\($0) autofocus onfocus=alert(1) x" }
        } + [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'-alert(1)-'", "</textarea><b>", "{{t}}",
            "{{{t}}}", "<!--", "]]>", "\u{0}", "\u{202e}gnp.exe", "\u{2066}a\u{2069}", "\u{feff}", "\r\n", "\u{1b}[2J",
            String(repeating: "<\u{301}", count: 21_845),
        ]

    private func page(_ text: String) -> HTML {
        p(.title(text)) {
            text
            input(.value(text))
            if !text.isEmpty {
                b { text }
            }
        }
    }

    private func b(@HTMLBuilder _ content: () -> HTML) -> HTML { .element("b", [], content()) }

    @Test("CON-2: no text adds an element, an attribute or an end to a page", arguments: payloads)
    func inert(text: String) {
        let scalars = Array(Self.text(page(text)).unicodeScalars)
        func count(_ scalar: Unicode.Scalar) -> Int { scalars.count { $0 == scalar } }
        // p, input, b, and the ends of b and p.
        #expect(count("<") == 5 && count(">") == 5)
        #expect(count("\"") == 4 && count("'") == 0)
        // What begins a value stands twice, and every other equals sign is of the text.
        #expect(count("=") == 2 + text.unicodeScalars.count { $0 == "=" } * (text.isEmpty ? 3 : 4))
        // Within the tags and outside of the two quoted values is what the code says, and nothing else.
        let tags = Self.text(page(text)).unicodeScalars.split(separator: "<")
            .compactMap { $0.split(separator: ">").first }
        let names = tags.map { tag in
            tag.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset.isMultiple(of: 2) }.map { String(String.UnicodeScalarView($0.element)) }.joined()
        }
        #expect(names == ["p title=", "input value=", "b", "/b", "/p"])
        #expect(!scalars.contains { $0.value < 0x20 && ![0x0a, 0x09].contains($0.value) })
        #expect(!scalars.contains { (0x202a...0x202e).contains($0.value) || (0x2066...0x2069).contains($0.value) })
    }

    private static let marks = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]

    @Test("CON-2: texts of hostile scalars in any order are read as they were", arguments: 0..<200)
    func anyOrder(seed: Int) {
        let hostile: [Unicode.Scalar] =
            Array("&<>\"'`=/;#x-! a".unicodeScalars) + ["\u{301}", "\u{200d}", "\u{fe0f}", "\u{1f1f0}", "가"]
        var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1
        var text = String.UnicodeScalarView()
        for _ in 0..<64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            text.append(hostile[Int((state >> 33) % UInt64(hostile.count))])
        }
        let html = Array(HTML.escaped(String(text)).utf8)
        #expect(!html.contains { "<>\"'".utf8.contains($0) })
        // A browser reads each reference as its mark, and an ampersand stands in references only.
        var (read, rest): ([UInt8], ArraySlice<UInt8>) = ([], html[...])
        while let byte = rest.first {
            guard byte == UInt8(ascii: "&") else {
                read.append(rest.removeFirst())
                continue
            }
            guard let mark = Self.marks.first(where: { rest.starts(with: $0.value.utf8) }) else {
                Issue.record("an ampersand of its own: \(String(decoding: html, as: UTF8.self))")
                return
            }
            read += mark.key.utf8
            rest = rest.dropFirst(mark.value.utf8.count)
        }
        #expect(read == Array(String(text).utf8))
    }

    @Test("A value is escaped, and an attribute without one is left out")
    func attributes() {
        let html = p(
            .id("a&b"), .class("x", nil, "y"), .class(nil), .autocomplete(nil), .maxlength(5), .hidden,
            .open(if: false), .ariaDescribedby(nil)
        ) { "<&\">" }
        #expect(Self.text(html) == #"<p id="a&amp;b" class="x y" maxlength="5" hidden>&lt;&amp;&quot;&gt;</p>"#)
    }

    @Test("What stands in braces is chosen, left out and repeated")
    func builder() {
        func list(_ items: [String], note: String?) -> HTML {
            ul {
                for item in items {
                    li { item }
                }
                if items.isEmpty { "none" } else { "\(items.count)" }
                if let note { small { note } }
                switch items.count {
                case 0: br
                case 1: wbr
                default: HTML()
                }
            }
        }
        #expect(Self.text(list([], note: nil)) == "<ul>none<br></ul>")
        #expect(Self.text(list(["a"], note: "n")) == "<ul><li>a</li>1<small>n</small><wbr></ul>")
        #expect(Self.text(list(["a", "b"], note: nil)) == "<ul><li>a</li><li>b</li>2</ul>")
    }

    @Test("Elements that hold nothing end as HTML and SVG want it, and a whole page begins with its type")
    func ends() {
        #expect(
            Self.text(svg(.viewBox("0 0 1 1")) { path(.d("M0 0")) })
                == #"<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>"#)
        #expect(Self.text(script(src: "/a.js")) == #"<script src="/a.js" defer></script>"#)
        #expect(String(decoding: body {}.document, as: UTF8.self) == "<!doctype html><body></body>")
        // A browser drops the first line break of a text area.
        #expect(Self.text(textarea(.name("t"), text: "\na")) == "<textarea name=\"t\">\n\na</textarea>")
    }

    @Test("Controls are shown as their numbers, and everything else as it is")
    func controls() {
        #expect(HTML.escaped("a\u{202e}b\u{0}") == "a⟨U+202E⟩b⟨U+0000⟩")
        #expect(HTML.escaped("한국어 日本語 👩‍🚀\n\té") == "한국어 日本語 👩‍🚀\n\té")
        #expect(HTML.escaped("") == "")
    }
}
