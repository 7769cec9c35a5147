import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators write for players, in several languages.
@Suite struct TextInputTests {
    @Test("A text's language is stored by its one name, and what is no language is said at its field")
    func languages() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            func action(_ typed: [String: String]) throws -> SetStatus {
                try SetStatus(on: .app, OperatorForm.values(["status": "303"].merging(typed) { $1 }), view)
            }
            for name in ["korean", "jp", "ko-kor", "LANGUAGE", ""] {
                let field = "message.\(name)"
                #expect(await OperatorForm.problems { _ = try action([field: "닫힘"]) } == [field])
                // Without a text nobody misses anything.
                #expect(await OperatorForm.problems { _ = try action([field: " "]) }.isEmpty)
            }
            let close = try action(["message.ko_KR": "닫힘", "message.ZH-tw": "關閉"])
            _ = try await OperatorForm.confirm(close, on: .app, by: kim, as: .operator, at: core)
            #expect(try await caller.run(ReadApp()).statusMessage.texts == ["ko-kr": "닫힘", "zh-tw": "關閉"])
        }
    }

    @Test("No form drops a text whose language it does not know, or that is too long")
    func everyForm() async throws {
        try await TestCore.open { core in
            let view = try await OperatorForm.context(of: core.operator())
            func problems(_ typed: [String: String]) async -> Set<String> {
                await OperatorForm.problems {
                    let values = OperatorForm.values(["template": "9", "name": "x"].merging(typed) { $1 })
                    _ = try AddBanTemplate(on: AddBanTemplate.about.subject.target(values), values, view)
                }
            }
            let long = String(repeating: "x", count: 4_001)
            #expect(await problems(["text.en": "x", "text.korean": "x"]) == ["text.korean"])
            #expect(await problems(["text.en": "x", "text.ko": long]) == ["text.ko"])
            #expect(await problems(["text.ko_KR": String(long.dropFirst())]).isEmpty)
        }
    }
}
