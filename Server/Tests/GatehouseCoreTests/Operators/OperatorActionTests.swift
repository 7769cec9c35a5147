import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

@Suite struct OperatorActionTests {
    @Test("An invitation is good once and for a day, and nothing is set by a weak password or a wrong code")
    func enrolment() async throws {
        try await TestCore.open { core in
            #expect(try await core.atConsole(HasNoOperators()))
            let token = try await core.invite("kim")
            let totp = try await core.atConsole(ReadInvitation(token: token)).secret
            for (password, code) in [("short", totp.code(at: core.clock.now)), (Person.password, "000000x")] {
                let action = EnrolOperator(
                    token: token, password: password, code: code, preferences: OperatorPreferences(),
                    visitor: Person.visitor)
                #expect(await refusal { try await core.atConsole(action) }?.status == 400)
            }
            #expect(try await core.atConsole(HasNoOperators()))
            let kim = try await core.enrol("kim", with: token)
            #expect(try await kim.live?.person.role(in: TestCore.app) == .owner)
            #expect(Set(kim.recoveryCodes).count == 10)
            #expect(await refusal { try await core.atConsole(ReadInvitation(token: token)) }?.status == 410)
            #expect(await refusal { try await core.atConsole(ReadInvitation(token: "none")) }?.status == 410)
            let old = try await core.invite("lee")
            core.clock.advance(seconds: 24 * 3_600)
            #expect(await refusal { try await core.atConsole(ReadInvitation(token: old)) }?.status == 410)
        }
    }

    @Test("Of four enrolments with one invitation at the same time, one is done")
    func enrolmentRace() async throws {
        try await TestCore.open { core in
            let token = try await core.invite("kim")
            let results = await statuses(4) { _ in _ = try await core.enrol("kim", with: token) }
            #expect(results.sorted() == [200, 410, 410, 410])
        }
    }

    @Test("A name has no case and no width, at the sign-in as in a change, and its tries are counted once")
    func typedName() async throws {
        try await TestCore.open { core in
            let kim = try await core.person("\u{202a}Kim.Min ")
            #expect(try await core.atConsole(ListOperators()).map(\.name) == ["kim.min"])
            for name in ["Kim.Min", "ＫＩＭ．ｍｉｎ", "\u{200e}kim.min\u{a0}", "kim.min\u{200b}", "\u{feff}KIM.MIN"] {
                #expect(try await kim.signIn(name: name).person.name == "kim.min", "\(name)")
                core.clock.advance(seconds: 30)
            }
            for name in ["kim.min", "Kim.Min", "KIM.MIN", "ｋim.min", " kim.min"] {
                #expect(await refusal { try await kim.signIn(name: name, code: "000000") }?.status == 403)
            }
            #expect(await refusal { try await kim.signIn(name: "kIM.min") }?.status == 429)
            let person = try #require(try await kim.live).person
            let own = DisableOperator(name: "Kim.Min")
            let refused = await refusal {
                try await core.actions.run(
                    own, by: .operator(person, as: .owner), in: .ofServer(moment: core.clock.now))
            }
            #expect(refused?.code == .userPermission)
        }
    }

    @Test("LOG-1: the line about a refused sign-in has the name alone, and neither the password nor the code")
    func refusedLine() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            core.callLog.clear()
            var answers = [await refusal { try await kim.signIn(name: "nobody") }?.status]
            answers.append(await refusal { try await kim.signIn(code: "000000") }?.status)
            // The last is one too many.
            for _ in 1...5 { answers.append(await refusal { try await kim.signIn(password: "another lake!") }?.status) }
            #expect(answers == [403, 403, 403, 403, 403, 403, 429])
            #expect(core.callLog.events == answers.map { _ in "operator.refused" })
            #expect(core.callLog.lines.map(\.subject) == [["by": "nobody"]] + (1...6).map { _ in ["by": "kim"] })
        }
    }

    @Test("CON-9: wrong password, wrong code, a name that does not exist and a disabled person get the same answer")
    func uniformAnswer() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            let lee = try await core.person("lee")
            try await core.atConsole(DisableOperator(name: "lee"))
            var answers: [Refusal?] = []
            answers.append(await refusal { try await kim.signIn(password: "another quiet lake!") })
            answers.append(await refusal { try await kim.signIn(code: "000000") })
            answers.append(await refusal { try await kim.signIn(code: "aaaa-bbbb-cccc-dddd") })
            answers.append(await refusal { try await kim.signIn(name: "nobody") })
            answers.append(await refusal { try await kim.signIn(name: "") })
            answers.append(await refusal { try await lee.signIn(from: "192.0.2.2") })
            #expect(Set(answers.map { $0?.status }) == [403])
            #expect(Set(answers.map { $0?.message }).count == 1 && Set(answers.map { $0?.code }).count == 1)
            #expect(core.callLog.events.filter { $0 == "operator.refused" }.count == 6)
            #expect(try await kim.signIn().person.name == "kim")
        }
    }

    @Test(
        "CON-9: of two hundred wrong tries at once five reach the password; after a quarter of an hour the right one enters"
    )
    func throttle() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            let results = await statuses(200) { index in
                _ = try await kim.signIn(password: "wrong \(index) wrong wrong", from: "192.0.2.\(index % 100 + 50)")
            }
            #expect(results.filter { $0 == 403 }.count == 5 && results.filter { $0 == 429 }.count == 195)
            let refused = await refusal { try await kim.signIn() }
            #expect(refused?.status == 429 && (1...900).contains(refused?.retryAfterSeconds ?? 0))
            core.clock.advance(seconds: 900)
            #expect(try await kim.signIn().person.name == "kim")
        }
    }

    @Test("CON-9: one address tries twenty times, whatever names it tries")
    func throttledAddress() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            let results = await statuses(30) { index in
                _ = try await kim.signIn(name: "name\(index)", from: "192.0.2.9")
            }
            #expect(results.filter { $0 == 429 }.count == 10)
            #expect(await refusal { try await kim.signIn(from: "192.0.2.9") }?.status == 429)
            #expect(try await kim.signIn(from: "192.0.2.10").person.name == "kim")
        }
    }

    @Test(
        "CON-9: a network of IPv6 counts as one address, and a right sign-in forgives nothing that was tried at other names"
    )
    func throttledNetwork() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            for index in 0..<19 {
                let other = await refusal { try await kim.signIn(name: "name\(index)", from: "2001:db8::\(index + 1)") }
                #expect(other?.status == 403)
            }
            #expect(try await kim.signIn(from: "2001:db8::ffff").person.name == "kim")
            #expect(await refusal { try await kim.signIn(name: "a", from: "2001:db8::1:1") }?.status == 403)
            #expect(await refusal { try await kim.signIn(name: "b", from: "2001:db8::2:1") }?.status == 429)
            #expect(await refusal { try await kim.signIn(name: "b", from: "2001:db8:0:1::1") }?.status == 403)
        }
    }

    @Test("CON-9: strangers lock nobody out of a browser in which the person has signed in within thirty days")
    func knownBrowser() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            let browser = KnownBrowser(name: "kim", earlier: nil, random: core.actions.services.random)
            for index in 0..<6 {
                let stranger = await refusal {
                    try await kim.signIn(password: "wrong wrong wrong", from: "192.0.2.\(index + 50)")
                }
                #expect(stranger?.status == (index < 5 ? 403 : 429))
            }
            #expect(await refusal { try await kim.signIn() }?.status == 429)
            // The browser of another person has no place here, and one's own only five wrong attempts.
            let other = KnownBrowser(name: "lee", earlier: nil, random: core.actions.services.random)
            #expect(await refusal { try await kim.signIn(browser: other) }?.status == 429)
            for index in 0..<6 {
                let own = await refusal {
                    try await kim.signIn(password: "wrong wrong wrong", from: "192.0.2.9", browser: browser)
                }
                #expect(own?.status == (index < 5 ? 403 : 429))
            }
            let second = KnownBrowser(name: "kim", earlier: nil, random: core.actions.services.random)
            #expect(try await kim.signIn(browser: second).person.name == "kim")
            let sealed = try core.actions.sealBrowser(second, at: core.clock.now)
            core.clock.advance(seconds: KnownBrowser.seconds - 1)
            #expect(core.actions.openBrowser(sealed, at: core.clock.now) == second)
            #expect(KnownBrowser(name: "kim", earlier: second, random: core.actions.services.random) == second)
            core.clock.advance(seconds: 1)
            #expect(core.actions.openBrowser(sealed, at: core.clock.now) == nil)
            #expect(core.actions.openBrowser("AAAA", at: core.clock.now) == nil)
        }
    }

    @Test(
        "CON-9: of two nodes together, five tries reach the password and twenty come from a network",
        arguments: Engine.available)
    func attemptsOfNodes(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { first, second in
            let kim = try await first.person()
            let there = Person(
                core: second, name: kim.name, totp: kim.totp, session: kim.session, recoveryCodes: kim.recoveryCodes)
            let results = await statuses(40) { index in
                _ = try await [kim, there][index % 2].signIn(
                    password: "wrong \(index) wrong wrong", from: "192.0.2.\(index + 50)")
            }
            #expect(results.filter { $0 == 403 }.count == 5 && results.filter { $0 == 429 }.count == 35)
            for person in [kim, there] {
                let refused = await refusal { try await person.signIn() }
                #expect(refused?.status == 429 && (1...900).contains(refused?.retryAfterSeconds ?? 0))
            }
            let names = await statuses(30) { index in
                _ = try await [kim, there][index % 2].signIn(name: "name\(index)", from: "192.0.2.9")
            }
            #expect(names.filter { $0 == 429 }.count == 10)
            // No name and no address is kept.
            let hashes = try await first.database.read { tx in
                try tx.rows("SELECT party_hash FROM operator_attempts") { row in try row[0] as [UInt8] }
            }
            #expect(!hashes.isEmpty && hashes.allSatisfy { $0.count == 32 })
            first.clock.advance(seconds: 900)
            #expect(try await there.signIn().person.name == "kim")
            first.clock.advance(seconds: 1)
            try await first.sweep()
            #expect(try await first.count("SELECT COUNT(*) FROM operator_attempts WHERE attempts > 1") == 0)
        }
    }

    @Test("CON-9: what a node remembers of too many attempts is bounded, and the oldest go first")
    func boundedAttempts() {
        let attempts = OperatorAttempts(capacity: 100)
        let moment = Moment(milliseconds: 1_000)
        func attempt(_ name: String, _ address: String) -> OperatorAttemptRules.Attempt {
            OperatorAttemptRules.Attempt(name: name, browser: nil, address: address)
        }
        for index in 0..<10_000 {
            let party = attempt("n\(index)", "192.0.2.1").account
            attempts.remember(.init(party: party, until: moment.adding(seconds: 900)))
        }
        #expect(attempts.count <= 200)
        #expect(attempts.refusal(of: attempt("n0", "192.0.2.1"), at: moment) == nil)
        let refused = attempts.refusal(of: attempt("n9999", "192.0.2.1"), at: moment.adding(seconds: 1))
        #expect(refused?.refusal(at: moment.adding(seconds: 1)).retryAfterSeconds == 899)
        #expect(attempts.refusal(of: attempt("n9999", "192.0.2.1"), at: moment.adding(seconds: 900)) == nil)
    }

    @Test("CON-6: a code enters once, also in two browsers at the same time")
    func codeOnce() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            #expect(await statuses(2) { _ in _ = try await kim.signIn() }.sorted() == [200, 403])
            #expect(await refusal { try await kim.signIn() }?.status == 403)
            core.clock.advance(seconds: 30)
            #expect(try await !kim.signIn().usedRecoveryCode)
        }
    }

    @Test("CON-6: a recovery code enters once in twenty tries at the same time, and the others stay")
    func recoveryCodeOnce() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            let code = kim.recoveryCodes[3].uppercased().replacing("-", with: " ")
            let results = await statuses(20) { _ = try await kim.signIn(code: code, from: "192.0.2.\($0 + 20)") }
            #expect(results.filter { $0 == 200 }.count == 1)
            #expect(results.allSatisfy { [200, 403, 429].contains($0) })
            core.clock.advance(seconds: 900)
            #expect(await refusal { try await kim.signIn(code: code) }?.status == 403)
            let next = try await kim.signIn(code: kim.recoveryCodes[4])
            #expect(next.usedRecoveryCode && next.recoveryCodes == 8)
        }
    }

    @Test("CON-10: a changed role and a disabled person end the sessions, and the last owner stays one")
    func changes() async throws {
        try await TestCore.open { core in
            let (kim, lee) = (try await core.person("kim"), try await core.person("lee"))
            try await core.atConsole(GrantOperator(name: "lee", grants: [.app(TestCore.app): .viewer]))
            #expect(try await lee.live == nil)
            let again = try await lee.signIn()
            #expect(again.person.role(in: TestCore.app) == .viewer && again.person.serverRole == nil)
            #expect(again.person.role(in: AppID("other")) == nil)
            for action in [GrantOperator(name: "kim", grants: [.everything: .operator])] {
                #expect(await code { try await core.atConsole(action) } == .userPermission)
            }
            #expect(await code { try await core.atConsole(DisableOperator(name: "kim")) } == .userPermission)
            #expect(try await kim.live?.person.serverRole == .owner)
            try await core.atConsole(DisableOperator(name: "lee"))
            core.clock.advance(seconds: 30)
            #expect(await refusal { try await lee.signIn() }?.status == 403)
            try await core.atConsole(EnableOperator(name: "lee"))
            #expect(try await lee.signIn().person.name == "lee")
            let events = try await core.database.read { tx in
                try AuditRules.records(after: "", limit: 1_000, in: tx).map(\.event).filter {
                    $0.hasPrefix("operator.")
                }
            }
            #expect(
                events == [
                    "operator.invited", "operator.enrolled", "operator.invited", "operator.enrolled",
                    "operator.granted",
                    "operator.signed-in", "operator.disabled", "operator.enabled", "operator.signed-in",
                ])
        }
    }

    @Test("CON-10: on a server that has no owner yet, the command gives and takes other roles")
    func noOwnerYet() async throws {
        try await TestCore.open { core in
            _ = try await core.person("lee", [.app(TestCore.app): .support])
            try await core.atConsole(GrantOperator(name: "lee", grants: [.app(TestCore.app): .operator]))
            try await core.atConsole(DisableOperator(name: "lee"))
            try await core.atConsole(EnableOperator(name: "lee"))
            let lee = try await core.atConsole(ListOperators()).first { $0.name == "lee" }
            #expect(lee?.grants == [.app(TestCore.app): .operator] && lee?.isDisabled == false)
        }
    }

    @Test("OPS-6: nobody changes the own roles in the console; another owner does, and the command")
    func ownRoles() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person("kim").live).person
            let lee = try #require(try await core.person("lee").live).person
            func run<A: UseCase>(_ action: A, by actor: Actor) async -> Refusal? {
                await refusal { try await core.actions.run(action, by: actor, in: .ofServer(moment: core.clock.now)) }
            }
            let grant = GrantOperator(name: "kim", grants: [.everything: .owner, .app(TestCore.app): .owner])
            let own = await run(grant, by: .operator(kim, as: .owner))
            #expect(own?.code == .userPermission && own?.status == 403)
            let disabled = await run(DisableOperator(name: "kim"), by: .operator(kim, as: .owner))
            #expect(disabled?.code == .userPermission && disabled?.status == 403)
            #expect(try await core.atConsole(ListOperators()).first { $0.name == "kim" }?.grants == kim.grants)
            #expect(await run(grant, by: .operator(lee, as: .owner)) == nil)
            #expect(await run(grant, by: .operator("kim")) == nil)
        }
    }

    @Test("Of two owners who are disabled at the same time, one stays")
    func lastOwnerRace() async throws {
        try await TestCore.open { core in
            for name in ["kim", "lee"] { _ = try await core.person(name) }
            let results = await statuses(2) { index in
                try await core.atConsole(DisableOperator(name: ["kim", "lee"][index]))
            }
            #expect(results.filter { $0 == 200 }.count == 1)
        }
    }

    @Test("A new link voids the former link and every session, and the person enrols anew")
    func newLink() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            let first = try await core.invite("kim", nil)
            #expect(try await kim.live == nil)
            // What somebody else may hold is void before the link is used.
            core.clock.advance(seconds: 30)
            #expect(await refusal { try await kim.signIn() }?.status == 403)
            #expect(await refusal { try await kim.signIn(code: kim.recoveryCodes[0]) }?.status == 403)
            let left = try await core.database.read { tx in
                try OperatorQueries.recoveryCodes(
                    of: try #require(try OperatorQueries.find(named: "kim", in: tx)).person.id, in: tx)
            }
            #expect(left == 0)
            let second = try await core.invite("kim", nil)
            #expect(await refusal { try await core.atConsole(ReadInvitation(token: first)) }?.status == 410)
            let anew = try await core.enrol("kim", with: second, password: "another quiet lake!")
            #expect(try await anew.live?.person.serverRole == .owner)
            core.clock.advance(seconds: 30)
            #expect(await refusal { try await kim.signIn() }?.status == 403)
            #expect(await refusal { try await anew.signIn(code: kim.recoveryCodes[0]) }?.status == 403)
            #expect(await refusal { try await core.invite("nobody", nil) }?.code == .invalidParameter)
            #expect(await refusal { try await core.invite("kim") }?.code == .invalidParameter)
            for name in ["", "k\u{e4}m", "a b", "한", String(repeating: "a", count: 65), "a\u{0}"] {
                #expect(await refusal { try await core.invite(name) }?.code == .invalidParameter)
            }
        }
    }

    @Test("CON-10: a new password ends all other sessions, takes the present one, and is not a weak one")
    func passwordChange() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            let other = try await kim.signIn().session
            core.clock.advance(seconds: 30)
            let new = "the mountain sleeps late"
            for weak in ["short", "passwordpassword1"] {
                #expect(await refusal { try await kim.changePassword(to: weak) }?.status == 400)
            }
            #expect(await refusal { try await kim.changePassword("wrong wrong wrong", to: new) }?.status == 403)
            #expect(await refusal { try await kim.changePassword(code: "000000", to: new) }?.status == 403)
            let after = try await kim.changePassword(to: new)
            #expect(try await after.live != nil)
            // A copy of the cookie with which it was done is as void as any other.
            for token in [other, kim.session] {
                guard case .unknown = try await core.atConsole(ReadOperatorSession(token: token)) else {
                    Issue.record("a former session goes on")
                    return
                }
            }
            core.clock.advance(seconds: 30)
            #expect(await refusal { try await kim.signIn() }?.status == 403)
            #expect(try await kim.signIn(password: new).person.name == "kim")
        }
    }

    @Test("A session ends after half an hour without use, and after twelve hours in any case")
    func sessionTimes() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            core.clock.advance(seconds: 30 * 60 - 31)
            #expect(
                try await core.atConsole(ListOperatorSessions(id: try #require(try await kim.live).person.id)).count
                    == 1)
            for _ in 0..<23 {
                core.clock.advance(seconds: 30 * 60 - 1)
                #expect(try await kim.live != nil)
            }
            core.clock.advance(seconds: 30 * 60 - 1)
            guard case .over(let session) = try await core.atConsole(ReadOperatorSession(token: kim.session)) else {
                Issue.record("twelve hours are over")
                return
            }
            #expect(session.person.name == "kim" && !session.isElevated(at: core.clock.now))
            let second = try await kim.signIn()
            for _ in 0..<2 {
                core.clock.advance(seconds: 20 * 60)
                _ = try await core.atConsole(ReadOperatorSession(token: second.session, isUse: false))
            }
            guard case .over = try await core.atConsole(ReadOperatorSession(token: second.session)) else {
                Issue.record("a page that renews itself is no use")
                return
            }
        }
    }

    @Test("CON-4: a sign-in makes a new session, and ends the one that it renews")
    func renewal() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            core.clock.advance(seconds: 600)
            #expect(try await kim.live?.isElevated(at: core.clock.now) == false)
            let renewed = try await kim.signIn(replacing: kim.session)
            #expect(renewed.session.text != kim.session.text)
            #expect(try await kim.live == nil)
            guard case .live(let session) = try await core.atConsole(ReadOperatorSession(token: renewed.session)) else {
                Issue.record("the new session is not there")
                return
            }
            #expect(session.isElevated(at: core.clock.now))
        }
    }

    @Test("A sealed form is opened for an hour, and never after a change")
    func keptForm() async throws {
        try await TestCore.open { core in
            let form = ["user": "A", "text": "한글 <b>\"\u{202e}"]
            let sealed = try core.actions.sealForm(form, at: core.clock.now)
            #expect(!sealed.contains("text"))
            #expect(core.actions.openForm(sealed, at: core.clock.now.adding(seconds: 3_599)) == form)
            #expect(
                core.actions.openForm(sealed, at: core.clock.now.adding(seconds: 3_600)) as [String: String]? == nil)
            for wrong in [
                "", "A", String(sealed.dropLast(2)), (sealed.hasPrefix("A") ? "B" : "A") + sealed.dropFirst(),
                String(sealed.reversed()),
            ] {
                #expect(core.actions.openForm(wrong, at: core.clock.now) as [String: String]? == nil)
            }
        }
    }

    @Test("CON-7: neither a password nor a code opens anything by itself, and a wrong password uses no code up")
    func oneStep() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            let sessions = {
                try await core.database.rows("SELECT session_id FROM operator_sessions") { try $0[0] as String }
            }
            let before = try await sessions()
            let code = kim.code
            for (password, code) in [
                (Person.password, ""), (Person.password, "000000"), ("", code), ("wrong wrong", code),
            ] {
                #expect(await refusal { try await kim.signIn(password: password, code: code) }?.status == 403)
            }
            #expect(try await sessions() == before)
            #expect(try await kim.signIn(code: code).person.name == "kim")
            #expect(try await sessions().count == before.count + 1)
        }
    }
}
