import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// The operators' manual, a page for each of its headings.
extension Console {
    static func addHelp(to pages: Pages) {
        pages.server("/help", as: nil) { visit in try await visit.helpContents() }
        pages.server("/help/:heading", as: nil) { visit in try await visit.helpPage() }
    }

    static let helpTemplate = Template(
        "help",
        """
        {{<layout}}{{$content}}
        <article class="card manual">{{#blocks}}{{#paragraph}}<p>{{> spans}}</p>{{/paragraph}}{{#list}}<ul>{{#items}}<li>{{> spans}}</li>{{/items}}</ul>{{/list}}{{#steps}}<ol>{{#items}}<li>{{> spans}}</li>{{/items}}</ol>{{/steps}}{{#table}}<div class="scroll" tabindex="0" role="region" aria-label="{{title}}"><table><thead><tr>{{#head}}<th scope="col">{{> spans}}</th>{{/head}}</tr></thead><tbody>{{#rows}}<tr>{{#cells}}<td>{{> spans}}</td>{{/cells}}</tr>{{/rows}}</tbody></table></div>{{/table}}{{#code}}<pre tabindex="0"><code>{{.}}</code></pre>{{/code}}{{/blocks}}
        {{#hasContents}}<ul>{{#contents}}<li><a href="{{address}}">{{text}}</a></li>{{/contents}}</ul>{{/hasContents}}</article>
        {{/content}}{{/layout}}
        """)

    static let spansTemplate = Template(
        "spans",
        """
        {{#spans}}{{#code}}<code>{{.}}</code>{{/code}}{{#strong}}<strong>{{.}}</strong>{{/strong}}{{#em}}<em>{{.}}</em>{{/em}}{{#link}}<a href="{{to}}">{{words}}</a>{{/link}}{{#text}}{{.}}{{/text}}{{/spans}}
        """)
}

extension Visit {
    fileprivate func helpContents() async throws -> Response {
        let sections = Manual.of(words.language).sections
        return try await show(
            manualPage(words("frame.help"), sections.first?.blocks ?? [], contents: Array(sections.dropFirst())), "help"
        )
    }

    fileprivate func helpPage() async throws -> Response {
        let (sections, name) = (Manual.of(words.language).sections, segment("heading"))
        guard let index = sections.firstIndex(where: { $0.name == name }) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        let section = sections[index]
        let parts = sections[(index + 1)...].prefix { $0.level > section.level }
        var page = manualPage(section.title, section.blocks, contents: Array(parts))
        page.crumbs = [Link(words("frame.help"), "\(Console.prefix)/help")]
        return try await show(page, "help")
    }

    private func manualPage(_ title: String, _ blocks: [ManualBlock], contents: [Manual.Section]) -> Page {
        var page = Page(title, section: "help")
        page.values = [
            "blocks": blocks, "hasContents": !contents.isEmpty,
            "contents": contents.map { Link($0.title, Manual.address(of: $0.name)) },
        ]
        return page
    }
}
