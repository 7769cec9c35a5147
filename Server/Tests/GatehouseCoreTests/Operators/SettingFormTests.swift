import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// The forms of an app's settings: accounts, transfer and limits.
@Suite struct SettingFormTests {
    /// The settings that a confirmation names as different.
    private static func changed(_ preview: Preview) -> [Phrase] {
        (preview.table?.rows ?? []).compactMap { row in
            if case .text(let name, _) = row.first { name } else { nil }
        }
    }

    @Test("UI-ACC-1: the account rules of a form are checked field by field, and leave transfer alone")
    func accounts() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let fields = try await OperatorForm.fields(SetAccountPolicy.self, on: .app, by: caller)
            #expect(
                fields.map(\.name) == [
                    "graceDays", "restoreDays", "supportContact", "supportURL", "redirects", "consentRevoked",
                    "accountDeleted", "consent", "defaultLanguage", "timeZone", "ticketURL",
                ])
            let view = try await OperatorForm.context(of: caller)
            func action(_ typed: [String: String]) throws -> SetAccountPolicy {
                try SetAccountPolicy(on: .app, OperatorForm.values(OperatorForm.sent(fields, typed)), view)
            }
            let wrong = [
                "graceDays": "31", "restoreDays": "x", "supportURL": "ftp://x", "redirects": "javascript:alert(1)",
                "consentRevoked": "?", "defaultLanguage": "no language", "timeZone": "Mars/Crater",
            ]
            #expect(await OperatorForm.problems { _ = try action(wrong) } == Set(wrong.keys))
            let tooMany = (0...32).map { "game\($0)://login" }.joined(separator: " ")
            #expect(await OperatorForm.problems { _ = try action(["redirects": tooMany]) } == ["redirects"])
            for wrong in [
                "http://desk.example/{ticket}", "https://desk.example/", "https://{ticket}.example/",
                "https:///{ticket}",
                "https://desk.example/{ticket}/{ticket}", "https://desk@evil.example/{ticket}",
                "https://desk.example/ {ticket}", "javascript:{ticket}", "https://desk.example{ticket}",
            ] {
                #expect(
                    await OperatorForm.problems { _ = try action(["ticketURL": wrong]) } == ["ticketURL"], "\(wrong)")
            }
            let same = await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: action([:]))) }
            #expect(same == ["graceDays"])

            let change = try action([
                "restoreDays": "60", "redirects": "mygame://login", "defaultLanguage": "KO", "timeZone": "Asia/Seoul",
                "ticketURL": "https://desk.example/t?id={ticket}&x",
            ])
            let preview = try await caller.run(ReadPreview(of: change))
            #expect(!preview.isDangerous && preview.typed == nil)
            #expect(
                Self.changed(preview) == [
                    "setting.restoreDays", "setting.redirects", "setting.defaultLanguage", "setting.timeZone",
                    "setting.ticketURL",
                ])
            let record = try await OperatorForm.confirm(change, on: .app, by: kim, as: .operator, at: core)
            let app = try await caller.run(ReadApp())
            #expect(app.policy.restoreDays == 60 && app.policy.redirects == ["mygame://login"])
            #expect(app.defaultLanguage == "ko" && app.policy.timeZone == "Asia/Seoul")
            #expect(app.policy.transfer == TransferPolicy())
            #expect(TicketAddress.of("7", in: app) == "https://desk.example/t?id=7&x")
            let former = try await OperatorForm.fields(
                SetAccountPolicy.self, on: .app, ["earlier": try #require(record)], by: caller)
            #expect(OperatorForm.sent(former) == OperatorForm.sent(fields))
            #expect(await code { try await core.operator(kim, as: .support).run(change) } == .userPermission)
        }
    }

    @Test("Limits of a form are numbers, and all of them are set")
    func limits() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let fields = try await OperatorForm.fields(SetLimits.self, on: .app, by: caller)
            #expect(fields.map(\.name) == AppLimits.Setting.allCases.map(\.rawValue))
            #expect(fields.map(\.value) == ["30000", "3000", "120", "100", "3000"])
            let view = try await OperatorForm.context(of: caller)
            func action(_ typed: [String: String]) throws -> SetLimits {
                try SetLimits(on: .app, OperatorForm.values(OperatorForm.sent(fields, typed)), view)
            }
            let wrong = ["liveSessions": "-1", "changesPerMinute": "1000000001", "wrongTransfersPerHour": ""]
            #expect(await OperatorForm.problems { _ = try action(wrong) } == Set(wrong.keys))
            let same = await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: action([:]))) }
            #expect(same == ["newGuestsPerMinute"])
            let change = try action(["newGuestsPerMinute": "0", "liveSessions": "3"])
            let preview = try await caller.run(ReadPreview(of: change))
            #expect(Self.changed(preview) == ["setting.newGuestsPerMinute", "setting.liveSessions"])
            guard case .value(let before) = preview.table?.rows[0][1],
                case .value(let after) = preview.table?.rows[0][2]
            else {
                Issue.record("A value is no value.")
                return
            }
            #expect(before == .number(30_000) && after == .phrase("limits.none"))
            let record = try await OperatorForm.confirm(change, on: .app, by: kim, as: .operator, at: core)
            let limits = try await caller.run(ReadApp()).limits
            #expect(limits.newGuestsPerMinute == 0 && limits.liveSessions == 3 && limits.changesPerMinute == 120)
            let former = try await OperatorForm.fields(
                SetLimits.self, on: .app, ["earlier": try #require(record)], by: caller)
            #expect(former.map(\.value) == fields.map(\.value))
        }
    }

    @Test("UI-TRF-1: how long a transfer id has to be depends on its letters, and a policy can be switched off")
    func transfer() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let fields = try await OperatorForm.fields(SetTransferPolicy.self, on: .app, by: caller)
            #expect(fields.first?.name == "transferOn" && fields.last?.name == "transferKeys")
            let view = try await OperatorForm.context(of: caller)
            func action(_ typed: [String: String]) throws -> SetTransferPolicy {
                try SetTransferPolicy(on: .app, OperatorForm.values(OperatorForm.sent(fields, typed)), view)
            }
            for (letters, shortest) in [("digits", 12), ("lower-upper", 9)] {
                for (length, isLong) in [(shortest - 1, false), (shortest, true), (64, true), (65, false)] {
                    let typed = ["transferIdLetters": letters, "transferIdLength": String(length)]
                    let problems = await OperatorForm.problems { _ = try action(typed) }
                    #expect(problems == (isLong ? [] : ["transferIdLength"]), "\(letters) \(length)")
                }
            }
            let wrong = ["transferOn": "perhaps", "transferUses": "twice", "transferPasswordLetters": "runes"]
            #expect(await OperatorForm.problems { _ = try action(wrong) } == Set(wrong.keys))
            let same = await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: action([:]))) }
            #expect(same == ["transferOn"])

            let off = try action(["transferOn": "off"])
            let preview = try await caller.run(ReadPreview(of: off))
            #expect(preview.consequences == ["setting.within", "transfer.switch-off"])
            let record = try await OperatorForm.confirm(off, on: .app, by: kim, as: .operator, at: core)
            #expect(try await caller.run(ReadApp()).policy.transfer == nil)
            let former = try await OperatorForm.fields(
                SetTransferPolicy.self, on: .app, ["earlier": try #require(record)], by: caller)
            #expect(OperatorForm.sent(former) == OperatorForm.sent(fields))

            let on = try action([
                "transferUses": "unlimited", "transferDays": "0", "transferBlockMinutes": "90", "transferKeys": "off",
            ])
            let told = try await caller.run(ReadPreview(of: on)).consequences
            #expect(told[1] == "transfer.switch-on")
            let guesses: [String: Phrase.Value] = [
                "id": .text("10¹²"), "password": .text("10¹⁷"), "attempts": .count(5),
                "block": .phrase(Phrase("time.minutes", ["count": .count(90)])),
            ]
            #expect(told.last == Phrase("transfer.strength", guesses))
            try await caller.run(on)
            core.clock.advance(seconds: 2)
            let policy = try await caller.run(ReadApp()).policy
            #expect(policy.transfer?.isSingleUse == false && policy.transfer?.lifetimeSeconds == nil)
            #expect(policy.transfer?.blockSeconds == 5_400 && !policy.transferKeys)
        }
    }

    @Test("UI-TRF-1: a pair that was issued opens after its policy was switched off and on with other letters")
    func issuedBefore() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let issued = try await guest.run(IssueTransferAccount())
            let redemption = TransferRedemption(id: issued.id, password: try #require(issued.password))
            func redeem() async throws -> UserID {
                try await core.device("tablet").caller.run(RedeemTransferAccount(redemption: redemption)).member.userId
            }
            try await core.operator().run(SetTransferPolicy { $0.transfer = nil })
            core.clock.advance(seconds: 2)
            #expect(await code { try await redeem() } == .authTransferAccountConsoleNoCondition)
            try await core.operator().run(
                SetTransferPolicy { policy in
                    var transfer = TransferPolicy()
                    transfer.id = .init(.lowerAndUpper, length: 20)
                    policy.transfer = transfer
                })
            core.clock.advance(seconds: 2)
            #expect(try await redeem() == guest.user)
        }
    }
}
