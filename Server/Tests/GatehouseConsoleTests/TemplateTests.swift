import Foundation
import Testing

@testable import GatehouseConsole

@Suite struct TemplateTests {
    @Test("Every template is well-formed, and each name is given once")
    func parsing() throws {
        _ = try Templates(Console.templates)
        let names = Console.templates.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test("No template writes text as it is, leaves an attribute without quotes, or has a script or a style of its own")
    func form() throws {
        for template in Console.templates {
            let text = template.text
            #expect(!text.contains("{{{") && !text.contains("{{&") && !text.contains("{{ &"), "\(template.name)")
            // With its quoted values taken out, no tag has an equals sign.
            let bare = text.replacing(/="[^"]*"/, with: "")
            #expect(bare.firstMatch(of: /<[a-z][^<>]*=/) == nil, "\(template.name): an attribute without quotes")
            #expect(text.firstMatch(of: /[ ]style=|[ ]on[a-z]+=|<style|javascript:/) == nil, "\(template.name)")
            #expect(text.firstMatch(of: /<script(?![^>]*src=)/) == nil, "\(template.name)")
        }
    }

    @Test("Every part that a template takes in is there")
    func parts() throws {
        let names = Set(Console.templates.map(\.name))
        for template in Console.templates {
            for match in template.text.matches(of: /\{\{[><] ?([a-z-]+)\}\}/) {
                #expect(names.contains(String(match.output.1)), "\(template.name) takes in \(match.output.1)")
            }
        }
    }

    @Test("Every form that changes something carries the session's token")
    func tokens() {
        let open: Set = ["sign-in", "enrolment"]
        for template in Console.templates where !open.contains(template.name) {
            for form in template.text.matches(of: /<form\b[^>]*method="post".*?<\/form>/.dotMatchesNewlines()) {
                #expect(
                    form.output.contains(#"name="token" value="{{formToken}}""#),
                    "\(template.name): \(form.output.prefix(80))")
            }
        }
    }

    @Test("No template has words of its own")
    func words() {
        // Names and marks that are the same in every language.
        let allowed: Set = ["Gatehouse", "gatehouse", "operator", "create", "NAME", "role", "owner"]
        for template in Console.templates {
            let text = template.text.replacing(/<kbd>[^<]*<\/kbd>/, with: " ").replacing(/<[^>]*>/, with: " ")
                .replacing(/\{\{.*?\}\}/, with: " ")
            let words = text.split { !$0.isLetter && $0 != "-" }.filter { $0.contains(where: \.isLetter) }
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "-")) }
            #expect(words.allSatisfy { allowed.contains($0) }, "\(template.name): \(words)")
        }
    }
}
