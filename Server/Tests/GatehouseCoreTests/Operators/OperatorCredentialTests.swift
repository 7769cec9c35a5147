import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Operators' credentials: they are renewed without anybody's help, and what was checked a moment ago decides nothing.
@Suite struct OperatorCredentialTests {
    /// The audit log's records about operators, oldest first.
    private static func records(at core: TestCore) async throws -> [AuditRecord] {
        try await core.records().filter { $0.event.hasPrefix("operator.") }
    }

    @Test("CON-6: a person replaces the second factor and the recovery codes, and the former ones are void")
    func renewal() async throws {
        try await TestCore.open { core in
            let kim = try await core.person()
            let other = try await kim.signIn().session
            core.clock.advance(seconds: 30)
            #expect(await refusal { try await kim.renewFactor(newCode: "000000") }?.status == 400)
            let renewed = try await kim.renewFactor()
            #expect(renewed.recoveryCodes.count == 10)
            #expect(try await renewed.live != nil)
            // A copy of the cookie with which it was done is as void as any other.
            for token in [other, kim.session] {
                guard case .unknown = try await core.atConsole(ReadOperatorSession(token: token)) else {
                    Issue.record("a former session goes on")
                    return
                }
            }
            core.clock.advance(seconds: 30)
            #expect(await refusal { try await kim.signIn() }?.status == 403)
            #expect(await refusal { try await kim.signIn(code: kim.recoveryCodes[0]) }?.status == 403)
            let codes = try await renewed.renewRecoveryCodes()
            #expect(Set(codes).intersection(renewed.recoveryCodes).isEmpty)
            core.clock.advance(seconds: 900)
            #expect(await refusal { try await renewed.signIn(code: renewed.recoveryCodes[0]) }?.status == 403)
            #expect(try await renewed.signIn(code: codes[0]).usedRecoveryCode)
            #expect(try await renewed.signIn().person.name == "kim")
        }
    }

    @Test(
        "A hash that an earlier version made of what was typed opens still, and is of the prepared password from then on",
        arguments: Engine.available)
    func outdatedHash(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let kim = try await core.person()
            let id = try #require(try await kim.live).person.id
            let (typed, prepared) = ("a cafe\u{301} by the\u{a0}lake", "a caf\u{e9} by the lake")
            let old = try PasswordHash(
                of: typed, cost: core.services.operatorHasher.cost, salt: [UInt8](repeating: 1, count: 16)
            ).bytes
            try await core.database.transact { tx in try OperatorQueries.setPassword(old, of: id, in: tx) }
            func stored() async throws -> [UInt8]? {
                try await core.database.read { tx in try OperatorQueries.find(id, in: tx)?.credentials.passwordHash }
            }
            // Neither another password nor a wrong code changes it.
            #expect(await refusal { try await kim.signIn(password: "a cafe by the lake") }?.status == 403)
            #expect(await refusal { try await kim.signIn(password: typed, code: "000000") }?.status == 403)
            #expect(try await stored() == old)
            #expect(try await kim.signIn(password: typed).person.name == "kim")
            let renewed = try #require(try await stored().flatMap { PasswordHash(bytes: $0) })
            let expected = try PasswordHash(of: prepared, cost: renewed.cost, salt: renewed.salt)
            #expect(renewed.bytes != old && renewed == expected)
            for password in [prepared, typed] {
                core.clock.advance(seconds: 30)
                #expect(try await kim.signIn(password: password).person.name == "kim")
            }
            #expect(try await stored() == renewed.bytes)
        }
    }

    @Test("A password that is set on one keyboard opens on another, also after it was changed")
    func anyKeyboard() async throws {
        try await TestCore.open { core in
            let (typed, prepared) = ("a cafe\u{301} by the\u{a0}lake", "a caf\u{e9} by the lake")
            let kim = try await core.enrol("kim", with: try await core.invite("kim"), password: typed)
            core.clock.advance(seconds: 30)
            let changed = try await kim.changePassword(prepared, to: "u\u{308}ber dem\u{3000}See im Winter")
            core.clock.advance(seconds: 30)
            #expect(try await changed.signIn(password: "\u{fc}ber dem See im Winter").person.name == "kim")
        }
    }

    @Test("A key that was offered to one person is no key of another")
    func foreignFactor() async throws {
        try await TestCore.open { core in
            let (kim, lee) = (try await core.person("kim"), try await core.person("lee"))
            let session = try #require(try await kim.live)
            let factor = OfferedFactor(for: try #require(try await lee.live), random: .live)
            let action = RenewOperatorFactor(
                session: session, password: kim.password, code: kim.code, factor: factor,
                newCode: factor.totp.code(at: core.clock.now), visitor: Person.visitor)
            #expect(await refusal { try await core.atConsole(action) }?.status == 400)
        }
    }

    /// What may happen to a person while the slow hash of the person's password is made.
    enum Meanwhile: CaseIterable {
        case passwordChanged, factorRenewed, factorReset, disabled
    }

    private static func happen(_ change: Meanwhile, to kim: Person) async throws {
        let core = kim.core
        switch change {
        case .passwordChanged: try await kim.changePassword(to: "the mountain sleeps late")
        case .factorRenewed: _ = try await kim.renewFactor()
        case .factorReset: _ = try await core.invite("kim", nil)
        case .disabled: try await core.atConsole(DisableOperator(name: "kim"))
        }
    }

    @Test(
        "CON-10: who was checked before a change gets no session after it", arguments: Engine.available,
        Meanwhile.allCases)
    func signInRace(engine: Engine, change: Meanwhile) async throws {
        try await TestCore.open(engine) { core in
            _ = try await core.person("lee")
            let kim = try await core.person()
            let action = SignInOperator(
                name: "kim", password: kim.password, code: kim.recoveryCodes[0], visitor: Person.visitor)
            let checked = try await action.proof.check(core.services, from: Person.visitor, at: core.clock.now)
            try await Self.happen(change, to: kim)
            let late = await refusal { try await action.begin(checked, core.services, at: core.clock.now) }
            #expect(late?.status == 403)
            let id = checked.person
            let sessions = try await core.atConsole(ListOperatorSessions(id: id))
            #expect(sessions.count <= 1, "the session that made the change, and no other")
        }
    }

    @Test(
        "CON-10: of two changes of a password that were checked with the same one, the second is refused",
        arguments: Engine.available)
    func passwordRace(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let kim = try await core.person()
            let session = try #require(try await kim.live)
            let action = ChangeOperatorPassword(
                session: session, password: kim.password, code: kim.recoveryCodes[0], new: "a third of them all",
                visitor: Person.visitor)
            let checked = try await action.proof.check(core.services, from: Person.visitor, at: core.clock.now)
            try await kim.changePassword(to: "the mountain sleeps late")
            let late = await refusal { try await action.change([1], checked, core.services, at: core.clock.now) }
            #expect(late?.status == 403)
            core.clock.advance(seconds: 30)
            #expect(try await kim.signIn(password: "the mountain sleeps late").person.name == "kim")
        }
    }

    @Test(
        "CON-10: a page of a person who was demoted, disabled or signed out meanwhile changes nothing",
        arguments: Engine.available)
    func demotedMeanwhile(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            _ = try await core.person("ann")
            let alice = try await core.player("alice")
            func ban(_ person: OperatorSession, once: String) async -> Refusal? {
                var confirmation = ActionConfirmation(
                    action: "member.banned", target: .member(alice.user), person: person.person.id, ticket: nil,
                    once: once, seen: nil)
                confirmation.session = person.id
                let caller = core.operator(person.person, as: .operator, confirmation: confirmation)
                let request = BanRequest(userIds: [alice.user], banType: .permanent, reason: "r", registeredBy: "kim")
                return await refusal { try await caller.run(BanMembers(request: request)) }
            }
            let kim = try #require(try await core.person("kim").live)
            try await core.atConsole(EndOperatorSessions(of: kim.person, .all, from: Person.visitor))
            #expect(await ban(kim, once: "signed out")?.status == 403)
            let lee = try #require(try await core.person("lee").live)
            try await core.atConsole(GrantOperator(name: "lee", grants: [.app(TestCore.app): .support]))
            #expect(await ban(lee, once: "demoted")?.status == 403)
            let jo = try #require(try await core.person("jo").live)
            try await core.atConsole(DisableOperator(name: "jo"))
            #expect(await ban(jo, once: "disabled")?.status == 403)
            #expect(try await core.history(of: alice.user) == [.memberCreated])
            let may = try #require(try await core.person("may").live)
            #expect(await ban(may, once: "still there") == nil)
        }
    }

    @Test("CON-11: every change of operators has a record of its own, with whom it concerns and from where")
    func audit() async throws {
        try await TestCore.open { core in
            var seen: Set<String> = []
            func added(_ event: String, by name: String?, _ change: () async throws -> Void) async throws -> AuditRecord
            {
                let before = try await Self.records(at: core).count
                core.callLog.clear()
                try await change()
                let new = try await Self.records(at: core).dropFirst(before)
                #expect(new.map(\.event) == [event])
                let record = try #require(new.first)
                #expect(record.origin.name == name && record.details["operator"] != nil, "\(record)")
                // The line of the log has the same id.
                #expect(core.callLog.events == [event])
                seen.insert(event)
                return record
            }
            var token = ""
            let invited = try await added("operator.invited", by: nil) {
                token = try await core.invite("kim", [.everything: .owner, .app(TestCore.app): .viewer])
            }
            #expect(invited.details == ["operator": "kim", "grants": "*=owner, game=viewer"])
            var found: Person?
            let enrolled = try await added("operator.enrolled", by: "kim") {
                found = try await core.enrol("kim", with: token)
            }
            #expect(enrolled.details == ["operator": "kim", "address": "192.0.2.1"])
            var kim = try #require(found)
            core.clock.advance(seconds: 30)
            _ = try await added("operator.signed-in", by: "kim") { _ = try await kim.signIn() }
            let recovery = try await added("operator.recovery-used", by: "kim") {
                _ = try await kim.signIn(code: kim.recoveryCodes[0], from: "192.0.2.7")
            }
            #expect(recovery.details["address"] == "192.0.2.7")
            let session = try #require(try await kim.live)
            _ = try await added("operator.preferences-set", by: "kim") {
                try await core.atConsole(
                    SetOperatorPreferences(of: session.person, OperatorPreferences(), from: Person.visitor))
            }
            let ended = try await added("operator.sessions-ended", by: "kim") {
                try await core.atConsole(
                    EndOperatorSessions(of: session.person, .allBut(session.id), from: Person.visitor))
            }
            #expect(ended.details["sessions"] == "others")
            core.clock.advance(seconds: 30)
            _ = try await added("operator.recovery-codes-renewed", by: "kim") { _ = try await kim.renewRecoveryCodes() }
            core.clock.advance(seconds: 30)
            _ = try await added("operator.password-changed", by: "kim") {
                kim = try await kim.changePassword(to: Person.password)
            }
            core.clock.advance(seconds: 30)
            _ = try await added("operator.factor-renewed", by: "kim") { _ = try await kim.renewFactor() }
            _ = try await core.person("lee", [.everything: .support])
            let granted = try await added("operator.granted", by: nil) {
                try await core.atConsole(GrantOperator(name: "lee", grants: [.app(TestCore.app): .viewer]))
            }
            #expect(
                granted.details == ["operator": "lee", "grants": "game=viewer", "grantsBefore": "*=support"])
            for isDisabled in [true, false] {
                let name = isDisabled ? "operator.disabled" : "operator.enabled"
                let record = try await added(name, by: nil) {
                    isDisabled
                        ? try await core.atConsole(DisableOperator(name: "lee"))
                        : try await core.atConsole(EnableOperator(name: "lee"))
                }
                #expect(record.details["operator"] == "lee")
            }
            _ = try await added("operator.factor-reset", by: nil) { _ = try await core.invite("lee", nil) }
            _ = try await added("operator.signed-in", by: "developer") {
                _ = try await core.atConsole(EnterAsDeveloper(visitor: Person.visitor))
            }
            #expect(seen == Set(OperatorEvent.allCases.map(\.rawValue)))
        }
    }

    @Test(
        "CON-11: actions of operators write only where a record is written, except for sessions' use and attempts"
    )
    func everyWriter() throws {
        let files = ["OperatorCredentials.swift", "OperatorSessions.swift", "OperatorSignIn.swift"]
        let direct = try ServerSources.matches(/services\.database\.(transact|decide)/) { files.contains($0) }
        #expect(direct.sorted() == ["decide", "transact"])
    }

    @Test("WDR-3: an invitation is deleted with its use, because it has the secret of the second factor")
    func usedInvitation() async throws {
        try await TestCore.open { core in
            let token = try await core.invite("kim")
            let count = {
                try await core.database.read { tx in
                    try tx.first("SELECT COUNT(*) FROM operator_invitations") { row in try row[0] as Int }
                }
            }
            #expect(try await count() == 1)
            _ = try await core.enrol("kim", with: token)
            #expect(try await count() == 0)
        }
    }
}
