import Foundation
import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What the operators' audit says of each operator's action: `Fixtures/audit-states.txt` has the target's values that each has changed.
/// `GATEHOUSE_WRITE_DOCS=1 make test ONLY=AuditStateTests` writes it.
@Suite struct AuditStateTests {
    private static let actions = OperatorActions.all + OperatorActions.ofServer + OperatorActions.ofProviders

    /// An operator who sends the forms of actions as they begin, but for what is typed, and what the audit has of it.
    private final class Shift {
        let core: TestCore
        let person: Operator
        var names: [String: String] = [:]
        var lines: [String] = []
        var done: Set<String> = []

        init(_ core: TestCore) async throws {
            self.core = core
            person = try #require(try await core.person().live).person
        }

        /// Does an action by its name in the audit, and its undo where that needs no choice. What was before must then be there again.
        func act(_ name: String, on target: ActionTarget, _ typed: [String: String] = [:], undone: Bool = false)
            async throws
        {
            let type = try #require(AuditStateTests.actions.first { $0.about.name == name }, "\(name)")
            done.insert(name)
            do {
                let record = try await perform(type, on: target, typed)
                guard undone, let undo = type.about.undo else { return }
                done.insert(undo.about.name)
                let named = typed.filter { $0.key == "rule" }
                let inverse = try await perform(undo, on: target, named.merging(["earlier": record.id]) { $1 })
                #expect(inverse.after == record.before, "\(undo.about.name) of \(name)")
            } catch {
                Issue.record("\(name): \(error)")
            }
        }

        private func perform<A: OperatorAction>(
            _ action: A.Type, on target: ActionTarget, _ typed: [String: String]
        ) async throws -> OperatorRecord {
            let reader = core.operator(person, as: .owner)
            let context = try await OperatorForm.context(of: reader)
            let fields = try await OperatorForm.fields(action, on: target, typed, by: reader)
            let end = core.clock.now.adding(seconds: 86_400)
            let sent = try A(on: target, OperatorForm.values(OperatorForm.sent(fields, typed), until: end), context)
            return try await perform(sent)
        }

        /// Does an action whose form the console makes.
        func act<A: OperatorAction>(_ action: A) async throws {
            done.insert(A.about.name)
            _ = try await perform(action)
        }

        private func perform<A: OperatorAction>(_ sent: A) async throws -> OperatorRecord {
            let reader = core.operator(person, as: .owner)
            _ = try await reader.run(ReadPreview(of: sent, in: ["en"]))
            _ = try await OperatorForm.confirm(
                sent, on: sent.subject, by: person, as: .owner, at: core, once: "\(lines.count)")
            let place = A.about.isOfServer ? .ofServer(moment: core.clock.now) : try await core.context()
            let records = try await core.actions.run(.operatorRecords(limit: 1), by: reader.actor, in: place)
            let record = try #require(records.first)
            #expect(record.action == A.about.name)
            lines.append("\(record.action) (\(plain(record.target)))")
            let (before, after) = (record.before ?? TargetState(), record.after ?? TargetState())
            let changes = before.difference(to: after).map { name, before, after in
                // Sealed secrets differ each time.
                func value(_ text: String?) -> String { text.map { name == "secrets" ? "<secrets>" : $0 } ?? "–" }
                return (plain(name), value(before), value(after))
            }
            lines += changes.sorted { $0 < $1 }.map { "    \($0): \(plain($1)) → \(plain($2))" }
            return record
        }

        /// A text with a name for each id, because ids are chosen by chance: a number, or the same name for all keys.
        private func plain(_ text: String) -> String {
            var text = text.replacing(/signingKey\.[^.]+/, with: "signingKey.<key>")
                .replacing(/^[0-9a-f]{12}$/, with: "<secret>")
            for match in text.matches(of: /[0-9a-v]{26}|[A-Z0-9]{16}|[A-Za-z0-9_-]{43}/).reversed() {
                let id = String(match.output)
                let name = names[id] ?? "<\(names.count + 1)>"
                names[id] = name
                text.replaceSubrange(match.range, with: name)
            }
            return text
        }
    }

    @Test(
        "What each operator's action changes is in the audit by the same names, and an undo brings back what was there")
    func states() async throws {
        try await TestCore.open { core in
            let shift = try await Shift(core)
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            let guest = try await core.guest("laptop")
            shift.names = [alice.user.rawValue: "<alice>", bob.user.rawValue: "<bob>", guest.user.rawValue: "<guest>"]
            try await Self.members(shift, alice, bob, guest)
            try await Self.app(shift)
            try await Self.server(shift)
            let changed = Set(Self.actions.map { $0.about.name })
            #expect(changed.subtracting(shift.done) == [])
            let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Fixtures/audit-states.txt")
            if ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_DOCS"] != nil {
                try Data((shift.lines.joined(separator: "\n") + "\n").utf8).write(to: url)
            }
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
            #expect(shift.lines == lines)
        }
    }

    private static func server(_ shift: Shift) async throws {
        try await shift.act("app.created", on: .newApp(AppID("fresh")), ["name": "Fresh", "appId": "fresh"])
        let lee = ActionTarget.person("lee")
        try await shift.act("operator.invited", on: lee, ["name": "lee", "scope": "*", "role": "support"])
        try await shift.act("operator.granted", on: lee, ["grant.*": "", "grant.fresh": "viewer"])
        for name in ["operator.factor-reset", "operator.disabled", "operator.enabled"] {
            try await shift.act(name, on: lee)
        }
    }

    @Test("Every setting of a form is changed by it, and its undo begins with each as it was")
    func everySetting() async throws {
        // Texts that look like JSON are texts.
        let texts = [
            "supportContact": "4711", "supportURL": "https://example.com/help", "redirects": "mygame://login",
            "defaultLanguage": "ko", "timeZone": "Asia/Seoul", "ticketURL": "https://desk.example/{ticket}",
        ]
        /// Another value of a field.
        @Sendable func other(_ field: InputField) -> String? {
            switch field.kind {
            case .number: Int(field.value).map { String($0 + 1) }
            case .choice(let options): options.map(\.value).last { $0 != field.value }
            default: texts[field.name]
            }
        }
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            func change<A: OperatorAction>(_ action: A.Type) async throws {
                let caller = core.operator(kim, as: .owner)
                // Without transfer accounts the rest of their policy counts for nothing.
                let before = try await OperatorForm.fields(action, on: .app, by: caller)
                let typed = Dictionary(uniqueKeysWithValues: before.map { ($0.name, other($0)) })
                    .merging(["transferOn": "on"]) { $1 }.compactMapValues(\.self)
                #expect(before.map(\.name).filter { typed[$0] == nil } == [])
                let sent = OperatorForm.values(OperatorForm.sent(before, typed))
                let changing = try A(on: .app, sent, try await OperatorForm.context(of: caller))
                let record = try #require(
                    try await OperatorForm.confirm(changing, on: .app, by: kim, as: .owner, at: core))
                let after = try await OperatorForm.fields(action, on: .app, by: caller)
                for (old, new) in zip(before, after) where old.name != "transferOn" {
                    #expect(old.value != new.value, "\(old.name)")
                }
                let undo = try await OperatorForm.fields(action, on: .app, ["earlier": record], by: caller)
                #expect(undo.map { [$0.name, $0.value] } == before.map { [$0.name, $0.value] })
                // What the undo of the undo begins with is what was typed.
                let former = try #require(try await caller.run(.operatorRecords(limit: 1)).first?.after)
                let app = try await caller.run(ReadApp())
                #expect(former.settings(of: app) == app)
            }
            try await change(SetAccountPolicy.self)
            try await change(SetLimits.self)
            try await change(SetTransferPolicy.self)
        }
    }

    private static func members(_ shift: Shift, _ alice: Player, _ bob: Player, _ guest: Player) async throws {
        let (one, both) = (ActionTarget.member(alice.user), "\(alice.user)\n\(bob.user)")
        let session = try #require(
            try await shift.core.database.rows(
                "SELECT session_id FROM sessions WHERE user_id = \(alice.user) ORDER BY session_id"
            ) { try $0[0] as String }.first)
        try await shift.act("session.kicked-out", on: one, ["session": session])
        _ = try await bob.addMapping(.twitter, of: "carol")
        try await shift.act("mapping.removed", on: .member(bob.user), ["idp": "twitter"])
        try await shift.act("member.banned", on: one, ["length": "until", "until": "x"])
        try await shift.act("ban.changed", on: one, ["length": "for-good"])
        try await shift.act("ban.released", on: one)
        try await shift.act(
            "members.banned", on: .members([alice.user, bob.user]), ["users": both, "length": "for-good"])
        try await shift.act("members.released", on: .members([alice.user, bob.user]), ["users": both])
        try await shift.act(
            "grace-ban.begun", on: one,
            ["user": alice.user.rawValue, "days": "7", "amount": "10", "currency": "EUR", "message": "Pay."])
        try await shift.act("grace-ban.payment-recorded", on: one, ["payment": "p-1", "amount": "3"])
        try await shift.act("grace-ban.released", on: one)
        try await shift.act("member.noted", on: one, ["text": "called"])
        let note = try #require(
            try await shift.core.database.rows("SELECT note_id FROM member_notes") { try $0[0] as String }.first)
        try await shift.act("member.note-edited", on: one, ["note": note, "text": "called twice"])
        try await shift.act("member.note-pinned", on: one, ["note": note, "pinned": "1"])
        try await shift.act("member.kicked-out", on: .member(bob.user))
        try await shift.act("mapping.moved", on: one, ["idp": "naver", "to": guest.user.rawValue])
        try await shift.act("member.restored", on: one)
        try await devices(shift, try await shift.core.guest("tv"))
        try await shift.act("member.withdrawn", on: .member(bob.user))
        try await jobs(shift)
    }

    private static func devices(_ shift: Shift, _ guest: Player) async throws {
        let last = ActionTarget.member(guest.user)
        let account = try await guest.run(IssueTransferAccount())
        _ = await code { try await shift.core.device("other").redeem(account, with: TransferPassword("wrong")) }
        try await shift.act("transfer.unblocked", on: last)
        try await shift.act("transfer.reissued", on: last)
        try await shift.act("transfer.voided", on: last)
        _ = try await guest.run(RequestWithdrawal())
        try await shift.act("withdrawal.cancelled", on: last)
        try await shift.act("member.secured", on: last)
    }

    private static func jobs(_ shift: Shift) async throws {
        func ids() async throws -> [String] {
            try await shift.core.database.rows("SELECT job_id FROM jobs WHERE kind = 'revoke-idp-tokens'") {
                try $0[0] as String
            }
        }
        try await JobRunner(services: shift.core.services).run()
        let job = try #require(try await ids().first)
        try await shift.act("job.retried", on: .job(job))
        try await JobRunner(services: shift.core.services).run()
        try await shift.act("jobs.retried", on: .app, ["kind": "revoke-idp-tokens"])
        try await shift.act("job.given-up", on: .job(job))
    }

    private static func lists(_ shift: Shift) async throws {
        let (template, reply) = (ActionTarget.banTemplate(7), ActionTarget.reply(1))
        try await shift.act("template.created", on: template, ["name": "Cheating", "text.en": "You cheated."])
        try await shift.act("template.edited", on: template, ["text.ko": "부정행위"], undone: true)
        try await shift.act("template.archived", on: template, undone: true)
        try await shift.act("reply.added", on: reply, ["title": "Hello", "text.en": "Hello!"])
        try await shift.act("reply.changed", on: reply, ["text.ko": "안녕!"], undone: true)
        try await shift.act("reply.removed", on: reply, undone: true)
        let device = ActionTarget.testDevice(shift.core.device("tester").key)
        try await shift.act("test-device.added", on: device, ["note": "Kim's phone"], undone: true)
        try await shift.act(
            "alert-receiver.added", on: .alertReceivers, ["kind": "webhook", "address": "https://hooks.example.com/a"])
        let receiver = try #require(try await shift.core.operator().run(.alertReceivers).first).id
        try await shift.act("alert-receiver.changed", on: .alertReceivers, ["receiver": receiver, "language": "ko"])
        try await shift.act("alert-receiver.tested", on: .alertReceivers, ["receiver": receiver])
        try await shift.act("alert-receiver.removed", on: .alertReceivers, ["receiver": receiver])
        try await shift.act("client-rule.added", on: .clientRules, ["os": "IOS", "status": "203"])
        try await shift.act("client-rule.added", on: .clientRules, ["os": "AOS", "status": "203", "position": "2"])
        let rule = try #require(try await shift.core.operator().run(ReadApp()).clientRules.first).id
        try await shift.act("client-rule.changed", on: .clientRules, ["rule": rule, "status": "205"], undone: true)
        try await shift.act("client-rule.moved", on: .clientRules, ["rule": rule, "to": "2"], undone: true)
        try await shift.act("client-rule.removed", on: .clientRules, ["rule": rule])
    }

    private static func app(_ shift: Shift) async throws {
        let app = ActionTarget.app
        try await shift.act("app.renamed", on: app, ["name": "Another game"], undone: true)
        try await shift.act("limits.set", on: app, ["newGuestsPerMinute": "7"], undone: true)
        try await shift.act(
            "status.set", on: app, ["status": "203", "message.en": "Please wait."], undone: true)
        try await shift.act("accounts.set", on: app, ["graceDays": "9"], undone: true)
        try await shift.act("transfer-policy.set", on: app, ["transferAttempts": "9"], undone: true)
        try await shift.act("kick-out.everyone", on: app, ["message.en": "Bye."])
        try await shift.act("key.rotated", on: .signingKeys)
        try await shift.act("key.rotated-revoking", on: .signingKeys)
        try await shift.act("secret.created", on: .secrets)
        try await shift.act("secret.revoked-old", on: .secrets)
        try await shift.act("secret.created", on: .secrets)
        let secret = try #require(try await shift.core.operator().run(ListSecrets()).last).id
        try await shift.act("secret.revoked", on: .secrets, ["key": secret])
        try await shift.act("provider.disabled", on: .provider(.twitter), undone: true)
        var saved = try #require(try await shift.core.operator().run(ReadIdentityProviders())[.twitter]).configuration
        saved.keepsProfile = false
        let secrets = SaveIdentityProvider.Secrets.changed(
            ProviderSecretChanges(values: ["clientSecret": "another"]))
        try await shift.act(
            SaveIdentityProvider(provider: .twitter, configuration: saved, secrets: secrets))
        try await shift.act(TestIdentityProvider(provider: .twitter, publicURL: "https://login.example.com"))
        try await shift.act("maintenance.planned", on: app, ["end": "x", "message.en": "Back soon."])
        try await shift.act("maintenance.changed", on: app, ["end": "x", "reason-word": "update"])
        try await shift.act("maintenance.ended", on: app)
        try await lists(shift)
        try await shift.act("status.terminated", on: app, ["message.en": "Farewell."])
    }
}
