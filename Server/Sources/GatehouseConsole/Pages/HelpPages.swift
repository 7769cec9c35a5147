import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// The operators' manual, a page for each of its headings.
extension Console {
    static func addHelp(to pages: Pages) {
        pages.server("/help", as: nil) { visit in try await visit.helpContents() }
        pages.server("/help/:heading", as: nil) { visit in try await visit.helpPage() }
    }
}

extension Visit {
    fileprivate func helpContents() async throws -> Response {
        let sections = Manual.of(words.language).sections
        return manual(
            Page(words("frame.help"), section: "help"), sections.first?.blocks ?? [],
            contents: Array(sections.dropFirst()))
    }

    fileprivate func helpPage() async throws -> Response {
        let (sections, name) = (Manual.of(words.language).sections, segment("heading"))
        guard let index = sections.firstIndex(where: { $0.name == name }) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        let section = sections[index]
        let parts = sections[(index + 1)...].prefix { $0.level > section.level }
        var page = Page(section.title, section: "help")
        page.crumbs = [Link(words("frame.help"), "\(Console.prefix)/help")]
        return manual(page, section.blocks, contents: Array(parts))
    }

    private func manual(_ page: Page, _ blocks: [ManualBlock], contents: [Manual.Section]) -> Response {
        show(page) {
            article(.class("card manual")) {
                for block in blocks { self.block(block, of: page.title) }
                if !contents.isEmpty {
                    ul {
                        for section in contents {
                            li { Link(section.title, Manual.address(of: section.name)) }
                        }
                    }
                }
            }
        }
    }

    @HTMLBuilder private func block(_ block: ManualBlock, of title: String) -> HTML {
        switch block.kind {
        case .paragraph(let spans):
            p { styled(spans) }
        case .list(let items, let isNumbered):
            if isNumbered { ol { self.items(items) } } else { ul { self.items(items) } }
        case .table(let rows):
            scroll(title) { table(rows) }
        case .code(let text):
            pre(.tabindex(0)) { code { text } }
        }
    }

    @HTMLBuilder private func items(_ items: [[ManualSpan]]) -> HTML {
        for item in items { li { styled(item) } }
    }

    private func table(_ rows: [[[ManualSpan]]]) -> HTML {
        table {
            thead {
                tr {
                    for cell in rows.first ?? [] { th(Attribute("scope", "col")) { styled(cell) } }
                }
            }
            tbody {
                for row in rows.dropFirst() {
                    tr {
                        for cell in row { td { styled(cell) } }
                    }
                }
            }
        }
    }

    @HTMLBuilder private func styled(_ spans: [ManualSpan]) -> HTML {
        for span in spans {
            switch span.style {
            case .text: span.text
            case .code: code { span.text }
            case .strong: strong { span.text }
            case .em: em { span.text }
            case .link: a(.href(span.address ?? "")) { span.text }
            }
        }
    }
}
