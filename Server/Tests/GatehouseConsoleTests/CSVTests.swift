import Testing

@testable import GatehouseConsole

@Suite struct CSVTests {
    @Test(
        "CON-11: a quotation mark is doubled whatever mark follows it, so no text leaves its cell",
        arguments: ["\u{301}", "\u{200d}", "\u{fe0f}", "\u{301}\u{316}", ""])
    func quotation(mark: String) {
        #expect(CSV.cell("x\"\(mark),=HYPERLINK(1)") == "\"x\"\"\(mark),=HYPERLINK(1)\"")
    }

    @Test(
        "CON-11: what a spreadsheet could take for a formula gets an apostrophe",
        arguments: [
            "=1", "+1", "-1", "@a", "|a", "%a", "\ta", "\r\n=1", "\n=1", "\ra", "=\u{301}1", "=\u{200d}1", " =1",
            "\u{3000}=1",
            "\u{a0}+1", "\u{ff1d}1", "\u{ff0b}1", "\u{ff0d}1", "\u{ff20}a", "\u{ff5c}a", "\u{ff05}a", "\u{feff}=1",
            "\u{200b}=1",
            "\u{2212}1", " \u{ff1d}1",
        ])
    func formulas(text: String) {
        #expect(CSV.cell(text) == "\"'\(text)\"")
    }

    @Test("Other texts stay as they are", arguments: ["", " a", "a=1", "한국", "1-2", "(=)", "'=1", "e\u{301}"])
    func plain(text: String) {
        #expect(CSV.cell(text) == "\"\(text)\"")
    }
}
