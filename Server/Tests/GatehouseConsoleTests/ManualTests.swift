import Foundation
import GatehouseLook
import Testing

@testable import GatehouseConsole

/// The operators' manual as pages of the console.
@Suite struct ManualTests {
    @Test("UI-DOCS: the manual in the server is docs/console.md, and each help link leads to a heading that exists")
    func headings() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/console.md").standardizedFileURL
        #expect(try Array(Data(contentsOf: file)) == EmbeddedFile.consoleManual.bytes)
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

    @Test("Markdown becomes blocks: paragraphs, lists with lines that go on, tables and code, without pictures")
    func blocks() {
        let manual = Manual(
            """
            # One

            ![A picture](images/x.png)

            Two lines *of*
            text with `# code`.
            - first
              goes on
            - **second**

            | a | b |
            |---|---|
            | 1 | [two](#one) |

            ```sh
            # no heading
            ```

            ## Two (`A/two`)

            1. step
            """)
        #expect(manual.sections.map(\.name) == ["one", "two"] && manual.sections[1].title == "Two")
        let blocks = manual.sections[0].blocks
        #expect(blocks.count == 4)
        guard case .paragraph(let words) = blocks[0].kind, case .list(let items, false) = blocks[1].kind,
            case .table(let rows) = blocks[2].kind, case .code(let code) = blocks[3].kind,
            case .list(let steps, true) = manual.sections[1].blocks.first?.kind
        else {
            Issue.record("other blocks: \(blocks)")
            return
        }
        #expect(words.map(\.text) == ["Two lines ", "of", " text with ", "# code", "."])
        #expect(words.map(\.style) == [.text, .em, .text, .code, .text])
        #expect(items.map { $0.map(\.text).joined() } == ["first goes on", "second"])
        #expect(rows.count == 2 && rows[1][1][0].address == "/console/help/one")
        #expect(code == "# no heading" && steps == [[ManualSpan(style: .text, text: "step")]])
    }
}
