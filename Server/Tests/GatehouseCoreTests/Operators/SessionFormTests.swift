import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators choose and read before they end sessions of a member.
@Suite struct SessionFormTests {
    @Test("A kick-out asks for a text in each language, shows it as the player reads it, and ends every session")
    func kickOut() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (phone, tablet) = (try await core.player("alice"), try await core.player("alice", on: "tablet"))
            let target = ActionTarget.member(phone.user)
            let caller = core.operator(kim, as: .support)
            let fields = try await OperatorForm.fields(KickOutMember.self, on: target, by: caller)
            #expect(fields.map(\.name) == ["message.en", "message.ko"])
            #expect(fields.first?.label == Phrase("kick-out.message", ["language": .language("en")]))
            #expect(fields.allSatisfy { $0.value.isEmpty && $0.help == nil && $0.limit == 1_000 })
            let view = try await OperatorForm.context(of: caller)
            let long = ["message.ko": String(repeating: "가", count: 1_000)]
            #expect(
                await OperatorForm.problems {
                    _ = try KickOutMember(on: target, OperatorForm.values(long), view)
                } == ["message.ko"])
            let texts = ["message.ko": "점검", "message.en": "Update"]
            let kickOut = try KickOutMember(on: target, OperatorForm.values(texts), view)
            let preview = try await caller.run(ReadPreview(of: kickOut))
            #expect(preview.title == Phrase("kick-out.title", ["user": .user(phone.user)]) && !preview.isDangerous)
            #expect(preview.playerReads.map(\.language) == ["en", "ko"])
            #expect(preview.playerReads.map(\.text) == ["Update", "점검"])
            #expect(await code { try await core.operator(kim, as: .viewer).run(kickOut) } == .userPermission)
            try await caller.run(kickOut)
            #expect(try await !phone.isLoggedIn)
            #expect(try await !tablet.isLoggedIn)
        }
    }

    @Test("SES-11: one session of a member is ended by its id, and one that is over is none")
    func end() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (phone, tablet) = (try await core.player("alice"), try await core.player("alice", on: "tablet"))
            let target = ActionTarget.member(phone.user)
            let caller = core.operator(kim, as: .support)
            let listed = try #require(try await phone.run(ListOwnSessions()).sessions.first { $0.isCurrent })
            let texts = ["session": listed.sessionId.rawValue]
            #expect(try await OperatorForm.fields(EndMemberSession.self, on: target, texts, by: caller).isEmpty)
            let view = try await OperatorForm.context(of: caller)
            #expect(
                await code { try EndMemberSession(on: target, OperatorForm.values([:]), view) } == .invalidParameter)
            let end = try EndMemberSession(on: target, OperatorForm.values(texts), view)
            let preview = try await caller.run(ReadPreview(of: end))
            #expect(preview.title == Phrase("session-end.title", ["user": .user(phone.user)]))
            guard case .key("session-end.what", let values) = preview.consequences.first?.content,
                case .device(let device) = values["device"]
            else {
                Issue.record("The preview names no device.")
                return
            }
            #expect(device.sessionId == listed.sessionId)
            #expect(values["begun"] == .moment(Moment(milliseconds: listed.beginDate)))
            #expect(await code { try await core.operator(kim, as: .viewer).run(end) } == .userPermission)
            try await caller.run(end)
            #expect(try await !phone.isLoggedIn)
            #expect(try await tablet.isLoggedIn)
            let over = await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: end)) }
            #expect(over?.phrase == "problem.session-over" && over?.parameter == "session")
        }
    }
}
