import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators choose and read before they begin a grace ban or record a payment.
@Suite struct GraceBanFormTests {
    private static let good = [
        "days": "7", "count": "2", "amount": "50,000", "currency": "krw", "message": "Please pay.",
    ]

    private func begin(
        _ user: UserID, _ caller: Caller, _ texts: [String: String] = good
    ) async throws -> BeginGraceBan {
        let values = OperatorForm.values(texts.merging(["user": user.rawValue.lowercased()]) { $1 })
        return try BeginGraceBan(on: BeginGraceBan.target(values), values, try await OperatorForm.context(of: caller))
    }

    @Test("BAN-4: a grace ban's form says all that is wrong at once, with the member and with what is asked of it")
    func problems() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            let caller = core.operator(kim, as: .operator)
            let target = BeginGraceBan.target(OperatorForm.values(["user": "abc"]))
            #expect(target == .member(UserID("ABC")))
            #expect(BeginGraceBan.target(OperatorForm.values([:])) == .member(UserID("")))
            let fields = try await OperatorForm.fields(BeginGraceBan.self, on: target, by: caller)
            #expect(
                fields.map(\.name) == ["user", "days", "count", "amount", "currency", "condition", "message"])
            #expect(fields.map(\.value) == ["ABC", "7", "1", "", "KRW", "", ""])
            let wrong = try await begin(UserID("NOBODY"), caller, ["days": "0", "amount": "x", "currency": "won"])
            #expect(
                await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: wrong)) }
                    == ["user", "days", "amount", "message"])
            #expect(
                await OperatorForm.problems { try await caller.run(wrong) } == ["days", "amount", "message"])
            let nothing = try await begin(alice.user, caller, Self.good.merging(["count": "0", "amount": ""]) { $1 })
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: nothing)) } == ["count"])
            #expect(await OperatorForm.problems { try await caller.run(nothing) } == ["count"])
            let euro = try await begin(alice.user, caller, Self.good.merging(["currency": "€"]) { $1 })
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: euro)) } == ["currency"])
        }
    }

    @Test("BAN-4: a grace ban begins for a member that is neither banned nor gone nor has one, in the person's name")
    func begin() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            let caller = core.operator(kim, as: .operator)
            func obstacle(_ user: UserID) async throws -> Phrase? {
                do {
                    _ = try await caller.run(ReadPreview(of: begin(user, caller)))
                    return nil
                } catch let problems as InputProblems {
                    return problems.phrases["user"]
                }
            }
            #expect(try await obstacle(UserID("NOBODY")) == "problem.no-member")
            try await core.ban([bob.user])
            #expect(try await obstacle(bob.user) == "problem.banned-already")
            try await core.operator().run(WithdrawMember(user: bob.user))
            #expect(try await obstacle(bob.user) == "problem.gone")
            let graceBan = try await begin(alice.user, caller)
            let preview = try await caller.run(ReadPreview(of: graceBan))
            let end = core.clock.now.adding(seconds: 7 * 86_400)
            let amount = Phrase.Value.amount(50_000, currency: "KRW")
            let condition = Phrase("grace.needs-both", ["count": .count(2), "amount": amount])
            #expect(preview.isDangerous && preview.title == Phrase("grace.begin-title", ["user": .user(alice.user)]))
            #expect(
                preview.consequences == [
                    Phrase("grace.begin-what", ["end": .banEnd(end)]),
                    Phrase("grace.begin-then", ["condition": .phrase(condition)]),
                ])
            #expect(preview.playerReads.map(\.language) == [Preview.everyLanguage])
            #expect(preview.playerReads.map(\.text) == ["Please pay."])
            #expect(await code { try await core.operator(kim, as: .support).run(graceBan) } == .userPermission)
            try await caller.run(graceBan)
            let record = try #require(try await caller.run(.graceBans(of: alice.user)).first)
            #expect(record.registeredBy == "kim" && record.graceBan.gracePeriodDate == end.milliseconds)
            #expect(try await obstacle(alice.user) == "problem.grace-already")
        }
    }

    @Test("A condition is said by what it asks for: payments, an amount, both, or one of them")
    func conditions() {
        func said(_ amount: Double, _ count: Int, _ type: ConditionType = .and) -> Phrase.Value {
            .condition(
                ReleaseRuleCondition(amount: amount, count: count, currency: "KRW", conditionType: type))
        }
        let amount = Phrase.Value.amount(9, currency: "KRW")
        #expect(said(0, 2) == .phrase(Phrase("grace.needs-count", ["count": .count(2)])))
        #expect(said(9, 0) == amount)
        #expect(said(9, 2) == .phrase(Phrase("grace.needs-both", ["count": .count(2), "amount": amount])))
        #expect(said(9, 2, .or) == .phrase(Phrase("grace.needs-either", ["count": .count(2), "amount": amount])))
    }

    @Test("BAN-4: a payment is recorded for an open grace ban, and one in another currency says that it won't count")
    func payments() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            let target = ActionTarget.member(alice.user)
            let caller = core.operator(kim, as: .operator)
            let none = await OperatorForm.impossible {
                _ = try await OperatorForm.fields(RecordPayment.self, on: target, by: caller)
            }
            #expect(none?.phrase == "problem.no-grace" && none?.parameter == "user")
            try await caller.run(begin(alice.user, caller))
            let fields = try await OperatorForm.fields(RecordPayment.self, on: target, by: caller)
            #expect(fields.map(\.name) == ["payment", "amount", "currency"])
            #expect(fields.map(\.value) == ["", "", "KRW"] && fields.allSatisfy(\.isRequired))
            let view = try await OperatorForm.context(of: caller)
            func payment(_ id: String, _ amount: String, _ currency: String = "krw") throws -> RecordPayment {
                let texts = ["payment": id, "amount": amount, "currency": currency]
                return try RecordPayment(on: target, OperatorForm.values(texts), view)
            }
            #expect(await OperatorForm.problems { _ = try payment("", "", "") } == ["payment", "amount", "currency"])
            let long = String(repeating: "p", count: 129)
            #expect(await OperatorForm.problems { _ = try payment(long, "-1", "WONS") }.count == 3)
            let dollars = try await caller.run(ReadPreview(of: payment("p-1", "9", "usd")))
            #expect(dollars.title == Phrase("grace.pay-title", ["amount": .amount(9, currency: "USD")]))
            #expect(dollars.consequences.last == Phrase("grace.pay-currency", ["currency": .text("KRW")]))
            let first = try payment("p-1", "30,000")
            #expect(try await caller.run(ReadPreview(of: first)).consequences.count == 2)
            #expect(await code { try await core.operator(kim, as: .support).run(first) } == .userPermission)
            #expect(try await !caller.run(first).releasesGraceBan)
            #expect(try await caller.run(payment("p-2", "20000")).releasesGraceBan)
            #expect(try await core.member(alice.user).graceBan == nil)
        }
    }
}
