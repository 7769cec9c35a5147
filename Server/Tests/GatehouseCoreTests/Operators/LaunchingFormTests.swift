import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// The forms of what the whole game feels: its status, maintenance, and the end of all sessions.
@Suite struct LaunchingFormTests {
    /// What was typed. A time is a number of minutes from now, or two of them for an hour that the clocks show twice.
    private static func values(_ texts: [String: String], _ view: OperatorContext) -> InputValues {
        InputValues(texts) { text, second in
            let minutes = text.split(separator: "/").compactMap { Int64($0) }
            guard let first = minutes.first, let last = minutes.last, first == last || second != nil else {
                throw InputProblems(["": "problem.time.notATime"])
            }
            return minute(second == true ? last : first, after: view.moment)
        }
    }

    private static func minute(_ count: Int64, after moment: Moment) -> Moment {
        Moment(milliseconds: (moment.milliseconds / 60_000 + count) * 60_000)
    }

    @Test("A status is one that an operator can set, players read its text, and its undo offers the former one")
    func status() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let fields = try await OperatorForm.fields(SetStatus.self, on: .app, by: caller)
            #expect(fields.map(\.name) == ["status", "message.en", "message.ko"] && fields.first?.value == "200")
            #expect(fields[1].help != nil && fields[2].help == nil)
            let view = try await OperatorForm.context(of: caller)
            func action(_ typed: [String: String]) throws -> SetStatus {
                try SetStatus(on: .app, OperatorForm.values(OperatorForm.sent(fields, typed)), view)
            }
            #expect(await OperatorForm.problems { _ = try action(["status": "302"]) } == ["status"])
            let long = String(repeating: "x", count: 2_001)
            #expect(await OperatorForm.problems { _ = try action(["message.ko": long]) } == ["message.ko"])
            let same = await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: action([:]))) }
            #expect(same == ["status"])
            // A text alone is a change.
            #expect(try await !caller.run(ReadPreview(of: action(["message.en": "All is well."]))).isDangerous)

            let close = try action(["status": "303", "message.ko": "닫힘"])
            let preview = try await caller.run(ReadPreview(of: close, in: ["en", "ko", "ja"]))
            #expect(preview.isDangerous && preview.title == Phrase("status.title", ["status": .phrase("status.303")]))
            #expect(preview.playerReads.map(\.language) == ["en", "ko", "ja"])
            #expect(preview.playerReads.allSatisfy { $0.text == "닫힘" })
            #expect(preview.consequences.last == Phrase("launching.devices-pass", ["count": .count(0)]))
            let record = try await OperatorForm.confirm(close, on: .app, by: kim, as: .operator, at: core)
            let app = try await caller.run(ReadApp())
            #expect(app.status == .maintenance && app.statusMessage.texts == ["ko": "닫힘"])
            let former = try await OperatorForm.fields(
                SetStatus.self, on: .app, ["earlier": try #require(record)], by: caller)
            #expect(OperatorForm.sent(former) == OperatorForm.sent(fields))
        }
    }

    @Test("A service is terminated by an owner who types the app's id")
    func termination() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let owner = core.operator(kim, as: .owner)
            let view = try await OperatorForm.context(of: owner)
            let end = try TerminateService(on: .app, OperatorForm.values(["message.en": "Thank you."]), view)
            let preview = try await owner.run(ReadPreview(of: end))
            #expect(preview.isDangerous && preview.typed == "game" && TerminateService.about.step == .typed)
            #expect(preview.playerReads.map(\.text) == ["Thank you."])
            #expect(await code { try await core.operator(kim, as: .operator).run(end) } == .userPermission)
            try await owner.run(end)
            core.clock.advance(seconds: 2)
            #expect(try await owner.run(ReadApp()).status == .terminated)
            let fields = try await OperatorForm.fields(TerminateService.self, on: .app, by: owner)
            #expect(fields.map(\.value) == ["Thank you.", ""])
        }
    }

    @Test("UI-KICK-1: everyone is kicked out with the number typed that the server counts, whatever the form says")
    func kickOut() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let players = [try await core.guest("one"), try await core.guest("two")]
            let fields = try await OperatorForm.fields(KickOutEveryone.self, on: .app, by: caller)
            #expect(fields.map(\.name) == ["message.en", "message.ko"])
            _ = try await core.guest("three")
            let view = try await OperatorForm.context(of: caller)
            func action(_ typed: [String: String]) throws -> KickOutEveryone {
                try KickOutEveryone(on: .app, OperatorForm.values(OperatorForm.sent(fields, typed)), view)
            }
            let kick = try action(["message.ko": "곧 만나요.", "live": "77"])
            let preview = try await caller.run(ReadPreview(of: kick))
            #expect(preview.typed == "3" && preview.isDangerous)
            #expect(preview.consequences.first == Phrase("kick-out.live", ["count": .count(3)]))
            #expect(preview.playerReads.map(\.language) == ["ko"])
            #expect(await code { try await core.operator(kim, as: .support).run(kick) } == .userPermission)
            try await caller.run(kick)
            core.clock.advance(seconds: 2)
            for player in players { #expect(try await !player.isLoggedIn) }
        }
    }

    @Test("Of a large number of sessions, two digits are typed, so that the next login does not make another of it")
    func roundedCount() {
        for (count, typed) in [(0, 0), (7, 7), (99, 99), (100, 100), (129, 120), (1_999, 1_900), (12_345, 12_000)] {
            #expect(LiveSessions(count: count, isComplete: true).roundedCount == typed)
        }
    }

    @Test("UI-LAUNCH-3: of a maintenance window, times that can't be meant are refused or asked")
    func times() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            func plan(_ texts: [String: String]) throws -> PlanMaintenance {
                try PlanMaintenance(on: .app, Self.values(texts, view), view)
            }
            let wrong: [([String: String], Set<String>)] = [
                ([:], ["end"]), (["end": "-5"], ["end"]), (["end": "never"], ["end"]),
                (["begin": "10", "end": "5"], ["end"]), (["begin": "-5", "end": "5"], ["begin"]),
                (["begin": "x", "end": "x", "url": "x"], ["begin", "end", "url"]),
                (["begin": "5/65", "end": "120"], ["begin-which"]),
                (["begin": "5/65", "begin-which": "second", "end": "60"], ["end"]),
            ]
            for (texts, names) in wrong {
                #expect(await OperatorForm.problems { _ = try plan(texts) } == names, "\(texts)")
            }
            func names(_ texts: [String: String]) async throws -> [String] {
                let action = try PlanMaintenance(begun: .app, Self.values(texts, view), view)
                return try await caller.run(ReadForm(of: action)).map(\.name)
            }
            #expect(try await names(["begin": "5"]) == ["begin", "end", "url", "reason-word"])
            let asked = ["begin", "begin-which", "end", "end-which", "url", "reason-word"]
            #expect(try await names(["begin": "5/65", "end": "6/66"]) == asked)
            for (chosen, minutes) in [("first", Int64(5)), ("second", 65)] {
                let action = try plan(["begin": "5/65", "begin-which": chosen, "end": "120"])
                let begin = Self.minute(minutes, after: view.moment)
                let times: [String: Phrase.Value] = [
                    "begin": .moment(begin), "end": .moment(Self.minute(120, after: view.moment)),
                    "length": .length(seconds: (120 - minutes) * 60), "in": .distance(begin),
                ]
                let told = try await caller.run(ReadPreview(of: action)).consequences
                #expect(told.first == Phrase("maintenance.what", times), "\(chosen)")
            }
        }
    }

    @Test(
        "UI-LAUNCH-5: maintenance is planned once, made longer, changed and ended, and its undo offers the same times")
    func maintenance() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            let times = ["begin": "60", "end": "120", "message.ko": "점검", "reason-word": "moving"]
            let plan = try PlanMaintenance(on: .app, Self.values(times, view), view)
            let preview = try await caller.run(ReadPreview(of: plan))
            #expect(preview.title == "maintenance.planned-title" && preview.typed == nil)
            #expect(preview.playerReads.map(\.text) == ["점검", "점검"])
            func window() async throws -> App.MaintenanceWindow? {
                core.clock.advance(seconds: 2)
                return try await caller.run(ReadApp()).maintenance
            }
            let none = await OperatorForm.impossible {
                _ = try await caller.run(ReadPreview(of: EndMaintenance(on: .app)))
            }
            #expect(none?.parameter == "maintenance")
            try await caller.run(plan)
            let planned = try #require(try await window())
            let end = Self.minute(120, after: view.moment)
            #expect(planned.begin == Self.minute(60, after: view.moment) && planned.end == end)
            #expect(planned.message.texts == ["ko": "점검"] && planned.reason == "moving")

            let now = try await OperatorForm.context(of: caller)
            let twice = await OperatorForm.problems {
                _ = try PlanMaintenance(on: .app, Self.values(times, now), now)
            }
            #expect(twice == ["begin"])
            let fields = try await OperatorForm.fields(ChangeMaintenance.self, on: .app, by: caller)
            #expect(fields.first?.moment == planned.begin && fields[1].moment == end)
            let same = await OperatorForm.problems {
                let action = try ChangeMaintenance(on: .app, Self.values(times, view), now)
                _ = try await caller.run(ReadPreview(of: action))
            }
            #expect(same == ["end"])
            let lengthen = ["lengthen": "30"]
            #expect(
                try await OperatorForm.fields(ChangeMaintenance.self, on: .app, lengthen, by: caller).isEmpty)
            try await caller.run(ChangeMaintenance(on: .app, Self.values(lengthen, now), now))
            #expect(try await window()?.end == end.adding(seconds: 1_800))

            let cancel = try await caller.run(ReadPreview(of: EndMaintenance(on: .app)))
            #expect(cancel.title == "maintenance.cancel-title")
            let record = try await OperatorForm.confirm(
                EndMaintenance(on: .app), on: .app, by: kim, as: .operator, at: core)
            #expect(try await window() == nil)
            let former = try await OperatorForm.fields(
                PlanMaintenance.self, on: .app, ["earlier": try #require(record)], by: caller)
            #expect(former.first?.moment == planned.begin && former[1].moment == end.adding(seconds: 1_800))
            #expect(former.first { $0.name == "message.ko" }?.value == "점검")
        }
    }

    @Test("Where a maintenance's text says {begin} and {end}, players and the preview read the times in the app's zone")
    func timesInTexts() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            try await caller.run(SetAccountPolicy { $0.timeZone = "Asia/Seoul" })
            core.clock.advance(seconds: 2)
            let view = try await OperatorForm.context(of: caller)
            let typed = ["end": "120", "message.en": "Back at {end}, since {begin}. {other} {end"]
            let plan = try PlanMaintenance(on: .app, Self.values(typed, view), view)
            let help = try await OperatorForm.fields(PlanMaintenance.self, on: .app, by: caller)
                .filter { $0.name.hasPrefix("message.") }.map(\.help)
            #expect(help == ["maintenance.text-default", "maintenance.text-help"])
            let zone = try #require(Zone(named: "Asia/Seoul"))
            func clock(_ moment: Moment) -> String { zone.time(at: moment.milliseconds / 1_000) }
            let preview = try await caller.run(ReadPreview(of: plan))
            try await caller.run(plan)
            core.clock.advance(seconds: 2)
            let window = try #require(try await caller.run(ReadApp()).maintenance)
            let text = "Back at \(clock(window.end)), since \(clock(window.begin)). {other} {end"
            #expect(preview.playerReads.allSatisfy { $0.text == text }, "\(preview.playerReads)")
            let phone = try await core.device("phone").caller.run(ReadLaunchingInformation())
            #expect(phone.message == text && phone.maintenance?.message == text, "\(phone)")
            let changed = try await OperatorForm.fields(ChangeMaintenance.self, on: .app, by: caller)
            #expect(changed.first { $0.name == "message.en" }?.value == typed["message.en"], "the form has it as typed")
        }
    }

    @Test("Windows that are over are listed as they ran, and a new one can begin with their texts")
    func past() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            func plan(_ texts: [String: String]) async throws -> Moment {
                let view = try await OperatorForm.context(of: caller)
                let action = try PlanMaintenance(on: .app, Self.values(texts, view), view)
                let confirmation = ActionConfirmation(
                    action: PlanMaintenance.about.name, target: .app, person: kim.id, ticket: nil,
                    once: "\(view.moment.milliseconds)", seen: nil)
                try await core.operator(kim, as: .operator, confirmation: confirmation).run(action)
                core.clock.advance(seconds: 2)
                return try #require(try await caller.run(ReadApp()).maintenance).begin
            }
            func windows() async throws -> [PastMaintenance] { try await caller.run(.pastMaintenance) }
            // One that is cancelled before it begins never was.
            _ = try await plan(["begin": "60", "end": "120"])
            _ = try await OperatorForm.confirm(EndMaintenance(on: .app), on: .app, by: kim, at: core)
            #expect(try await windows().isEmpty)

            let first = try await plan(["end": "30", "message.ko": "점검", "reason-word": "moving"])
            #expect(try await windows().isEmpty)
            core.clock.advance(seconds: 3_600)
            #expect(try await windows().map(\.begin) == [first])
            let second = try await plan(["end": "30"])
            #expect(try await windows().map(\.begin) == [first], "it is told once, whatever took its place")
            core.clock.advance(seconds: 60)
            let ended = core.clock.now
            let end = ActionConfirmation(
                action: EndMaintenance.about.name, target: .app, person: kim.id, ticket: nil, once: "end", seen: nil)
            try await core.operator(kim, as: .operator, confirmation: end).run(EndMaintenance(on: .app))
            core.clock.advance(seconds: 2)
            let found = try await windows()
            #expect(found.map(\.begin) == [second, first] && found.map(\.isEndedEarly) == [true, false])
            #expect(found[0].end == ended && found[1].message.texts == ["ko": "점검"] && found[1].reason == "moving")

            let fields = try await OperatorForm.fields(
                PlanMaintenance.self, on: .app, ["past": String(first.milliseconds)], by: caller)
            #expect(fields.first { $0.name == "message.ko" }?.value == "점검")
            #expect(fields.first { $0.name == "reason-word" }?.value == "moving")
            #expect(fields.first?.moment == nil && fields[1].moment == nil)
            let unknown = try await OperatorForm.fields(PlanMaintenance.self, on: .app, ["past": "1"], by: caller)
            #expect(unknown.first { $0.name == "message.ko" }?.value == "")
        }
    }

    @Test("Maintenance that is open keeps its beginning when only its end is changed")
    func open() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            try await caller.run(PlanMaintenance(on: .app, Self.values(["end": "30"], view), view))
            core.clock.advance(seconds: 600)
            let later = try await OperatorForm.context(of: caller)
            #expect(try await caller.run(ReadPreview(of: EndMaintenance(on: .app))).title == "maintenance.end-title")
            try await caller.run(ChangeMaintenance(on: .app, Self.values(["end": "60"], later), later))
            core.clock.advance(seconds: 2)
            let window = try await caller.run(ReadApp()).maintenance
            #expect(window?.begin == view.moment && window?.end == Self.minute(60, after: later.moment))
        }
    }
}
