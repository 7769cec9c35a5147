import GatehouseHTML
import GatehousePlatform

/// Reads what stands below a heading of the manual: paragraphs, lists, tables and code. Pictures and comments are left out.
struct ManualText: Markup {
    /// The heading, which is also the name of its tables.
    let title: String

    func html(of lines: [Substring]) -> HTML {
        var blocks: [HTML] = []
        var rest = lines[...]
        func take(while belongs: (Substring) -> Bool) -> ArraySlice<Substring> {
            let taken = rest.prefix(while: belongs)
            rest = rest.dropFirst(taken.count)
            return taken
        }
        while let line = rest.first {
            if line.begins(with: "```") {
                rest = rest.dropFirst()
                let text = take { !$0.begins(with: "```") }.joined(separator: "\n")
                rest = rest.dropFirst()
                blocks.append(pre(.tabindex(0)) { code { text } })
            } else if line.begins(with: "|") {
                blocks.append(table(of: take { $0.begins(with: "|") }))
            } else if isItem(line) {
                let items = items(of: take { isItem($0) || $0.isEmpty || $0.begins(with: "  ") })
                blocks.append(line.begins(with: "- ") ? ul { items } : ol { items })
            } else if line.isEmpty || line.begins(with: "![") || line.begins(with: "<!--") {
                rest = rest.dropFirst()
            } else {
                let words = take { !$0.isEmpty && !$0.begins(with: "|") && !$0.begins(with: "```") && !isItem($0) }
                blocks.append(p { styled(words.joined(separator: " ")) })
            }
        }
        return HTML(blocks)
    }

    /// A line by itself, as what a search has found. Its links are words, because the whole of it may be one.
    func html(ofLine line: Substring) -> HTML {
        styled(
            String(line.trimmingPrefix(/\ *(?:(?:[0-9]+\.|-)\ +|\|\ *)?/)).replacing(/\[([^\]]+)\]\([^)]+\)/) {
                $0.output.1
            })
    }

    private func isItem(_ line: Substring) -> Bool { line.begins(with: "- ") || line.starts(with: /[0-9]+\.\ /) }

    private func items(of lines: ArraySlice<Substring>) -> HTML {
        var items: [String] = []
        for line in lines where !line.isEmpty {
            let text = line.trimmingPrefix(/\ *(?:(?:[0-9]+\.|-)\ +)?/)
            if isItem(line) { items.append(String(text)) } else { items[items.count - 1] += " \(text)" }
        }
        return HTML(items.map { item in li { styled(item) } })
    }

    private func table(of lines: ArraySlice<Substring>) -> HTML {
        let rows = lines.filter { !$0.begins(with: "|--") }.map { line in
            line.dropFirst().dropLast().parts(at: "|", withEmpty: true).map { styled($0.trimmingSpaces()) }
        }
        return scroll(title) {
            table {
                thead {
                    tr {
                        for cell in rows.first ?? [] { th(Attribute("scope", "col")) { cell } }
                    }
                }
                tbody {
                    for row in rows.dropFirst() {
                        tr {
                            for cell in row { td { cell } }
                        }
                    }
                }
            }
        }
    }

    /// The words of a line: `` `code` ``, `**strong**`, `*emphasis*` and links.
    private func styled(_ text: String) -> HTML {
        var parts: [HTML] = []
        var rest = Substring(text)
        let mark = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)]+)\)/
        while let match = rest.firstMatch(of: mark) {
            parts.append(.text(String(rest[..<match.range.lowerBound])))
            let (_, code, strong, emphasis, link, address) = match.output
            if let code { parts.append(self.code { String(code) }) }
            if let strong { parts.append(self.strong { String(strong) }) }
            if let emphasis { parts.append(em { String(emphasis) }) }
            if let link, let address { parts.append(reference(String(link), String(address))) }
            rest = rest[match.range.upperBound...]
        }
        return HTML(parts + [.text(String(rest))])
    }

    /// Other documents are not in the server, so that only their names are shown.
    private func reference(_ text: String, _ address: String) -> HTML {
        guard address.begins(with: "#") else { return .text(text) }
        return a(.href(Manual.address(of: String(address.dropFirst())))) { text }
    }
}
