import Foundation
import GatehouseHTML
import GatehouseLook
import Testing

@testable import GatehouseConsole

/// The operators' manual as pages of the console.
@Suite struct ManualTests {
    @Test("UI-DOCS: the manual in the server is that of docs/, and each help link leads to a heading that exists")
    func headings() throws {
        for (page, embedded) in [("console", EmbeddedFile.consoleManual), ("trouble", .trouble)] {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../docs/\(page).md").standardizedFileURL
            #expect(try Array(Data(contentsOf: file)) == embedded.bytes)
        }
        let names = Manual.shared.sections.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(Manual.headings.values).subtracting(names).isEmpty)
        #expect(Manual.shared.sections.dropFirst().allSatisfy { $0.level > 1 })
    }

    @Test("The manual in another language has the same pages at the same addresses", arguments: ["ko", "ja"])
    func translations(language: String) {
        let (english, other) = (Manual.shared, Manual.of(language))
        #expect(other.sections.map(\.name) == english.sections.map(\.name))
        #expect(other.sections.map(\.level) == english.sections.map(\.level))
        #expect(other.sections.first?.title != english.sections.first?.title)
    }

    @Test("A search finds titles first and then texts, with the line that has the word and without its links")
    func search() {
        let manual = Manual("# All\n\n## One\n\nNothing.\n\n- see [the *lamp*](#two) and <b>\n\n## Lamps\n\nA lamp.")
        let found = manual.search(FindWords("LAMP"))
        #expect(found.map(\.section.name) == ["lamps", "one"] && found[0].line == nil)
        let line = found[1].line.map { ManualText(title: "").html(ofLine: $0) }
        #expect(line.map { String(decoding: $0.bytes, as: UTF8.self) } == "see the <em>lamp</em> and &lt;b&gt;")
        #expect(manual.search(FindWords("lantern")).isEmpty && manual.search(FindWords("")).isEmpty)
        #expect(!Manual.shared.search(FindWords("ban")).isEmpty && !Manual.of("ko").search(FindWords("이용 정지")).isEmpty)
        #expect(!Manual.shared.sections.contains { $0.name == Manual.codes })
        #expect(Manual.shared.search(FindWords("database lost")).contains { $0.section.name == "the-database-is-lost" })
    }

    @Test("Markdown becomes HTML: paragraphs, lists with lines that go on, tables and code, without pictures")
    func html() {
        let manual = Manual(
            """
            # One

            ![A picture](images/x.png)

            Two lines *of*
            text with `# code`, <b> and [another document](javascript:x).
            - first
              goes on
            - **second**

            | a | b |
            |---|---|
            | 1 | [two](#two) |

            ```sh
            # no heading
            ```

            ## Two (`A/two`)

            1. step
            """)
        #expect(manual.sections.map(\.name) == ["one", "two"] && manual.sections[1].title == "Two")
        let pages = manual.sections.map { String(decoding: $0.content.bytes, as: UTF8.self) }
        let parts = [
            "<p>Two lines <em>of</em> text with <code># code</code>, &lt;b&gt; and another document.</p>",
            "<ul><li>first goes on</li><li><strong>second</strong></li></ul>",
            #"<div class="scroll" tabindex="0" role="region" aria-label="One"><table>"#,
            #"<thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>"#,
            #"<tbody><tr><td>1</td><td><a href="/console/help/two">two</a></td></tr></tbody></table></div>"#,
            #"<pre tabindex="0"><code># no heading</code></pre>"#,
        ]
        #expect(pages == [parts.joined(), "<ol><li>step</li></ol>"])
    }
}
