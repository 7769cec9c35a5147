import Testing

@testable import GatehouseConsole

/// What the console's templates may write, as https://mustache.github.io/mustache.5.html says it.
@Suite struct MustacheTests {
    private struct Pair: MustacheParent {
        let name: String
        var note: String?

        func child(named name: String) -> Any? {
            switch name {
            case "name": self.name
            case "note": note
            default: nil
            }
        }
    }

    private func render(_ text: String, _ values: [String: Any] = [:], parts: [Template] = []) throws -> String {
        try Templates(parts + [Template("page", text)]).render("page", values)
    }

    @Test("A value is escaped, and what is missing is empty")
    func values() throws {
        #expect(try render("<b>{{a}}{{ b }}{{c}}</b>", ["a": "<&\">", "b": 5]) == "<b>&lt;&amp;&quot;&gt;5</b>")
        #expect(try render("{{a}}", ["a": Optional<String>.none as Any]) == "")
        #expect(try render("{{a}}", ["a": Optional("x") as Any]) == "x")
    }

    @Test("A path goes from name to name, and its first name is looked for further out")
    func paths() throws {
        let values: [String: Any] = ["a": ["b": ["c": "deep"]], "list": [Pair(name: "n")], "out": "outer"]
        #expect(
            try render("{{a.b.c}}{{a.x.c}}{{#list}}{{name}} {{out}} {{a.b.c}}{{/list}}", values) == "deepn outer deep")
    }

    @Test("A value without a name of its own is looked up further out, and one that is false is not")
    func missing() throws {
        let values: [String: Any] = ["note": "outer", "list": [Pair(name: "a"), Pair(name: "b", note: "own")]]
        #expect(try render("{{#list}}{{name}}:{{note}} {{/list}}", values) == "a:outer b:own ")
    }

    @Test(
        "A section is written for what is there, and an inverted one for what is not",
        arguments: [
            (true as Bool?, "yes"), (false, "no"), (nil, "no"),
        ])
    func flags(flag: Bool?, expected: String) throws {
        var values: [String: Any] = [:]
        values["flag"] = flag
        #expect(try render("{{#flag}}yes{{/flag}}{{^flag}}no{{/flag}}", values) == expected)
    }

    @Test("A section repeats itself for a list, and an inverted one is for an empty list")
    func lists() throws {
        let text = "{{#list}}<{{.}}>{{/list}}{{^list}}none{{/list}}"
        #expect(try render(text, ["list": ["a", "b"]]) == "<a><b>")
        #expect(try render(text, ["list": [String]()]) == "none")
        #expect(
            try render("{{#a}}{{#list}}{{.}}{{x}}{{/list}}{{/a}}", ["a": ["list": [1, 2], "x": "-"] as [String: Any]])
                == "1-2-")
    }

    @Test("A partial sees the values of its place; one that is not there is empty")
    func partials() throws {
        let part = Template("part", "({{name}})")
        #expect(
            try render("{{#l}}{{> part}}{{/l}}{{>none}}", ["l": [Pair(name: "a"), Pair(name: "b")]], parts: [part])
                == "(a)(b)")
    }

    @Test("A frame's block is filled by who takes it in, and what is further out decides")
    func blocks() throws {
        let frame = Template("frame", "[{{$title}}none{{/title}}|{{$body}}{{/body}}]")
        let form = Template("form", "{{<frame}} {{$body}}form{{$more}}-{{/more}}{{/body}} {{/frame}}")
        #expect(try render("{{<frame}}{{$body}}{{x}}{{/body}}{{/frame}}", ["x": "&"], parts: [frame]) == "[none|&amp;]")
        #expect(
            try render("{{<form}}{{$more}}m{{/more}}{{$title}}t{{/title}}{{/form}}", parts: [frame, form])
                == "[t|formm]")
        #expect(
            try render("{{>frame}}{{<form}}{{/form}}{{>frame}}", parts: [frame, form]) == "[none|][none|form-][none|]")
    }

    @Test("A line with nothing but a tag leaves nothing, and a comment neither")
    func lines() throws {
        let text = "a\n  {{#x}}  \n  b {{x}}\n{{! said }}\n  {{/x}}\nc {{#x}}d{{/x}}\n{{#x}}e{{/x}}\n"
        #expect(try render(text, ["x": "1"]) == "a\n  b 1\nc d\ne\n")
    }

    @Test(
        "What is not well-formed is refused",
        arguments: [
            ("{{a", .unfinishedTag), ("{{#a}}", .unfinishedSection("a")), ("{{#a}}{{/b}}", .unfinishedSection("a")),
            ("{{/a}}", .endOfNothing("a")), ("{{<f}}x{{/f}}", .notABlock(in: "f")), ("{{{a}}}", .notATag("{a")),
            ("{{&a}}", .notATag("&a")), ("{{a b}}", .notATag("a b")), ("{{}}", .notATag("")),
            ("{{=<% %>=}}", .notATag("=<% %>=")),
        ] as [(String, MustacheTemplate.Problem)])
    func refused(text: String, problem: MustacheTemplate.Problem) {
        #expect(throws: problem) { try MustacheTemplate(text) }
    }
}
