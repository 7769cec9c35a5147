import GatehouseSecurity
import GatehouseWire

@testable import GatehouseCore

/// An operator of the console, with everything that the person has in hand.
struct Person: Sendable {
    let core: TestCore
    let name: String
    var password = Person.password
    let totp: TOTP
    var session: OperatorToken
    let recoveryCodes: [String]

    static let password = "a quiet lake in winter"
    static let visitor = OperatorVisitor(address: "192.0.2.1", agent: "Browser")

    var code: String { totp.code(at: core.clock.now) }

    /// The person as the database has it; nil if the session is over.
    var live: OperatorSession? {
        get async throws {
            guard case .live(let session) = try await core.atConsole(ReadOperatorSession(token: session)) else {
                return nil
            }
            return session
        }
    }

    /// Returns the person with what is new.
    @discardableResult
    func changePassword(_ password: String? = nil, code: String? = nil, to new: String) async throws -> Person {
        let session = try await require(live)
        var person = self
        person.password = new
        person.session = try await core.atConsole(
            ChangeOperatorPassword(
                session: session, password: password ?? self.password, code: code ?? self.code, new: new,
                visitor: Self.visitor))
        return person
    }

    func renewRecoveryCodes() async throws -> [String] {
        try await core.atConsole(
            RenewRecoveryCodes(session: require(live), password: password, code: code, visitor: Self.visitor))
    }

    /// Replaces the second factor, and returns the person with what is new.
    func renewFactor(newCode: String? = nil) async throws -> Person {
        let session = try await require(live)
        let factor = OfferedFactor(for: session, random: .live)
        let renewed = try await core.atConsole(
            RenewOperatorFactor(
                session: session, password: password, code: code, factor: factor,
                newCode: newCode ?? factor.totp.code(at: core.clock.now), visitor: Self.visitor))
        return Person(
            core: core, name: name, password: password, totp: factor.totp, session: renewed.session,
            recoveryCodes: renewed.recoveryCodes)
    }

    private func require(_ session: OperatorSession?) throws -> OperatorSession {
        guard let session else { throw Refusal(.notLoggedIn) }
        return session
    }

    /// Tries to sign in: by default as is right, or with something else instead.
    func signIn(
        name: String? = nil, password: String? = nil, code: String? = nil, from address: String = "192.0.2.1",
        browser: KnownBrowser? = nil, replacing token: OperatorToken? = nil
    ) async throws -> SignInOperator.Outcome {
        try await core.atConsole(
            SignInOperator(
                name: name ?? self.name, password: password ?? self.password, code: code ?? self.code,
                visitor: OperatorVisitor(address: address, agent: "Browser", browser: browser), replacing: token))
    }
}

extension TestCore {
    /// Runs what the console runs before it knows who asks, and anything else as the server itself.
    func atConsole<A: ServerAction>(_ action: A) async throws -> A.Outcome {
        try await actions.run(action, by: A.isForVisitors ? .console : Self.server, at: clock.now)
    }

    @discardableResult
    func atConsole<A: UseCase>(_ action: A) async throws -> A.Outcome {
        try await actions.run(action, by: Self.server, in: .ofServer(moment: clock.now))
    }

    private static var server: Actor {
        var server = Actor(principal: .system, door: .console)
        (server.role, server.serverRole) = (.owner, .owner)
        return server
    }

    func invite(_ name: String, _ grants: [GrantScope: OperatorRole]? = [.everything: .owner]) async throws -> String {
        if let grants { return try await atConsole(InviteOperator(name: name, grants: grants)).text }
        return try await atConsole(ResetOperatorFactor(name: name)).text
    }

    func enrol(
        _ name: String, with token: String, password: String = Person.password
    ) async throws -> Person {
        let totp = try await atConsole(ReadInvitation(token: token)).secret
        let outcome = try await atConsole(
            EnrolOperator(
                token: token, password: password, code: totp.code(at: clock.now), preferences: OperatorPreferences(),
                visitor: Person.visitor))
        return Person(
            core: self, name: name, password: password, totp: totp, session: outcome.session,
            recoveryCodes: outcome.recoveryCodes)
    }

    /// An operator who has enrolled. Thirty seconds later the person's device shows a code that is not used yet.
    func person(
        _ name: String = "kim", _ grants: [GrantScope: OperatorRole] = [.everything: .owner]
    ) async throws -> Person {
        let person = try await enrol(name, with: try await invite(name, grants))
        clock.advance(seconds: 30)
        return person
    }

    /// An operator at the console, in a role, with what was confirmed.
    func `operator`(
        _ person: Operator, as role: OperatorRole, confirmation: ActionConfirmation? = nil, reason: String = "cheats"
    ) -> Caller {
        Caller(core: self, actor: .operator(person, as: role, confirmation: confirmation, reason: reason))
    }
}

/// Runs calls at the same time.
///
/// - Returns: the status of each refusal, or 200.
func statuses(_ count: Int, _ call: @escaping @Sendable (Int) async throws -> Void) async -> [Int] {
    await withTaskGroup(of: Int.self) { group in
        for index in 0..<count {
            group.addTask { await refusal { try await call(index) }?.status ?? 200 }
        }
        return await group.reduce(into: []) { $0.append($1) }
    }
}
