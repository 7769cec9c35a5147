import GatehouseHTML
import GatehouseJSON
import GatehouseLook
import GatehousePlatform
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// The repository's OpenAPI document, embedded in the server: `/openapi.yaml` and `/openapi.json` for programs, `/openapi` for people.
struct OpenAPIRoute: Sendable {
    /// Made at the first request, and the same for every one.
    private static let page = Result {
        OpenAPIPage(try StoredJSON.read(JSONValue.self, from: EmbeddedFile.openAPIAsJSON.bytes)).page
    }

    func add(to router: Router<GatehouseContext>) {
        add("/openapi.yaml", "application/yaml", EmbeddedFile.openAPIAsYAML.bytes, to: router)
        add("/openapi.json", "application/json", EmbeddedFile.openAPIAsJSON.bytes, to: router)
        router.getOnly("/openapi") { _, _ in
            try Self.page.get().response(headers: [.cacheControl: "public, max-age=300"])
        }
    }

    private func add(
        _ path: RouterPath, _ type: String, _ bytes: [UInt8], to router: Router<GatehouseContext>
    ) {
        let document = ByteBuffer(bytes: bytes)
        router.getOnly(path) { _, _ in
            Response(
                status: .ok, headers: [.contentType: type, .cacheControl: "public, max-age=300"],
                body: .init(byteBuffer: document))
        }
    }
}

/// The OpenAPI document for people: its operations by tag, then its schemas, with a link from each use to the schema.
struct OpenAPIPage: Sendable {
    private let document: JSONValue

    init(_ document: JSONValue) { self.document = document }

    var page: PlainPage {
        let info = document["info"]
        let tags = document["tags"]?.items ?? []
        return PlainPage(
            info?["title"]?.text ?? "", form: .wide,
            content: """
                \(DocumentText.paragraphs(info?["description"]?.text))
                <p>The same for programs: <a href="/openapi.yaml">YAML</a>, <a href="/openapi.json">JSON</a>.</p>
                <nav aria-label="Contents"><p>\(tags.map(link).joined(separator: " · ")) · <a href="#schemas">schemas</a></p></nav>
                \(tags.map(section).joined())
                <h2 id="schemas">Schemas</h2>
                \((document["components"]?["schemas"]?.members ?? []).map { schema($0.name, $0.value) }.joined())
                """)
    }

    private func link(_ tag: JSONValue) -> String {
        let name = HTML.escaped(tag["name"]?.text ?? "")
        return ##"<a href="#\##(name)">\##(name)</a>"##
    }

    private func section(_ tag: JSONValue) -> String {
        let name = tag["name"]?.text ?? ""
        let operations = (document["paths"]?.members ?? []).flatMap { path in
            (path.value.members ?? []).compactMap { verb -> String? in
                guard verb.value["tags"]?.items?.contains(where: { $0.text == name }) ?? false else { return nil }
                return operation(verb.value, verb.name, path.name)
            }
        }
        return """
            <h2 id="\(HTML.escaped(name))">\(HTML.escaped(name))</h2>
            \(DocumentText.paragraphs(tag["description"]?.text))\(operations.joined())
            """
    }

    private func operation(_ operation: JSONValue, _ verb: String, _ path: String) -> String {
        let body = operation["requestBody"]?["content"]?.members?.first
        let scope = operation["x-scope"]?.text.map { " It needs the scope <code>\(HTML.escaped($0))</code>." } ?? ""
        return """
            <details class="call" id="\(HTML.escaped(operation["operationId"]?.text ?? ""))">
            <summary><span class="method">\(HTML.escaped(verb.uppercased()))</span><code>\(HTML.escaped(path))</code>\
            \(HTML.escaped(operation["summary"]?.text ?? ""))</summary>
            \(DocumentText.paragraphs(operation["description"]?.text))
            <p>\(access(operation))\(scope)</p>
            \(parameters(operation))
            \(body.map { "<p>The body, as <code>\(HTML.escaped($0.name))</code>: \(shape($0.value["schema"]))</p>" } ?? "")
            \(answers(operation))
            </details>

            """
    }

    /// What a caller has to prove.
    private func access(_ operation: JSONValue) -> String {
        let names = (operation["security"]?.items ?? []).flatMap { ($0.members ?? []).map(\.name) }
        guard !names.isEmpty else { return "Anybody may call it." }
        let schemes = names.map { name in
            let scheme = document["components"]?["securitySchemes"]?[name]
            let header = scheme?["name"]?.text ?? "Authorization"
            return "<li><code>\(HTML.escaped(header))</code>: \(DocumentText.inline(scheme?["description"]?.text))</li>"
        }
        return "It needs:</p><ul>\(schemes.joined())</ul><p>"
    }

    private func parameters(_ operation: JSONValue) -> String {
        let rows = (operation["parameters"]?.items ?? []).map(resolved).map { parameter in
            let isRequired = parameter["required"] == .bool(true)
            return """
                <tr><td><code>\(HTML.escaped(parameter["name"]?.text ?? ""))</code></td>\
                <td>\(HTML.escaped(parameter["in"]?.text ?? ""))\(isRequired ? ", required" : "")</td>\
                <td>\(shape(parameter["schema"])) \(DocumentText.inline(parameter["description"]?.text))</td></tr>
                """
        }
        return table("Parameters", ["Parameter", "Where", "Value"], rows)
    }

    private func answers(_ operation: JSONValue) -> String {
        let rows = (operation["responses"]?.members ?? []).map { answer in
            let value = resolved(answer.value)
            let content = value["content"]?.members?.first.map { shape($0.value["schema"]) } ?? ""
            return """
                <tr><td>\(HTML.escaped(answer.name))</td><td>\(DocumentText.inline(value["description"]?.text))</td>\
                <td>\(content)</td></tr>
                """
        }
        return table("Answers", ["Status", "When", "Body"], rows)
    }

    private func schema(_ name: String, _ schema: JSONValue) -> String {
        let required = Set((schema["required"]?.items ?? []).compactMap(\.text))
        let rows = (schema["properties"]?.members ?? []).map { member in
            """
            <tr><td><code>\(HTML.escaped(member.name))</code></td><td>\(shape(member.value))\
            \(required.contains(member.name) ? ", required" : "")</td>\
            <td>\(DocumentText.inline(member.value["description"]?.text))</td></tr>
            """
        }
        return """
            <section class="call" id="schema-\(HTML.escaped(name))"><p><strong>\(HTML.escaped(name))</strong>: \(shape(schema))</p>
            \(DocumentText.paragraphs(schema["description"]?.text))\(table(name, ["Member", "Value", ""], rows))</section>

            """
    }

    private func table(_ caption: String, _ columns: [String], _ rows: [String]) -> String {
        guard !rows.isEmpty else { return "" }
        let head = columns.map { #"<th scope="col">\#($0)</th>"# }.joined()
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(HTML.escaped(caption))"><table>\
            <thead><tr>\(head)</tr></thead><tbody>\(rows.joined())</tbody></table></div>
            """
    }

    /// What a `$ref` names, or the value itself.
    private func resolved(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        return reference.parts(at: "/").dropFirst().reduce(document as JSONValue?) { $0?[String($1)] }
            ?? value
    }

    /// A schema in words, such as "a list of Session, at most 100".
    private func shape(_ schema: JSONValue?) -> String {
        guard let schema else { return "" }
        if let reference = schema["$ref"]?.text, let name = reference.parts(at: "/").last {
            let text = HTML.escaped(String(name))
            return ##"<a href="#schema-\##(text)">\##(text)</a>"##
        }
        if let choices = schema["oneOf"]?.items { return choices.map(shape).joined(separator: " or ") }
        let types = schema["type"]?.items?.compactMap(\.text) ?? [schema["type"]?.text ?? "any value"]
        var words = HTML.escaped(types.joined(separator: " or "))
        if let items = schema["items"] { words = "list of \(shape(items))" }
        if let values = schema["additionalProperties"], values.members != nil { words += " of \(shape(values))" }
        if let choices = schema["enum"]?.items {
            words +=
                ": " + choices.compactMap(\.text).map { "<code>\(HTML.escaped($0))</code>" }.joined(separator: ", ")
        }
        for (name, meaning) in Self.bounds {
            if let bound = schema[name]?.text { words += ", \(meaning) <code>\(HTML.escaped(bound))</code>" }
        }
        return words
    }

    private static let bounds = [
        ("format", "as"), ("pattern", "of the form"), ("minimum", "at least"), ("maximum", "at most"),
        ("minLength", "length at least"), ("maxLength", "length at most"), ("maxItems", "entries at most"),
    ]
}

extension JSONValue {
    fileprivate subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    fileprivate var items: [JSONValue]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// An object's members by name.
    fileprivate var members: [(name: String, value: JSONValue)]? {
        guard case .object(let members) = self else { return nil }
        return members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// A string or a number as text.
    fileprivate var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }
}

/// The little of CommonMark that the OpenAPI document's descriptions use: paragraphs, code and strong text.
enum DocumentText {
    static func paragraphs(_ text: String?) -> String {
        (text ?? "").components(separatedBy: "\n\n").map { $0.trimmingWhitespace() }
            .filter { !$0.isEmpty }.map { "<p>\(inline($0))</p>\n" }.joined()
    }

    static func inline(_ text: String?) -> String {
        // Every second part stands between the marks.
        (text ?? "").components(separatedBy: "`").enumerated().map { place, part in
            place.isMultiple(of: 2) ? strong(part) : "<code>\(HTML.escaped(part))</code>"
        }.joined()
    }

    private static func strong(_ text: String) -> String {
        text.components(separatedBy: "**").enumerated().map { place, part in
            place.isMultiple(of: 2) ? HTML.escaped(part) : "<strong>\(HTML.escaped(part))</strong>"
        }.joined()
    }
}
