import Foundation
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

@testable import GatehouseCore
@testable import GatehouseProviders

/// Somebody who asks for actions, as a door has proven it.
struct Caller: Sendable {
    let core: TestCore
    var actor: Actor
    /// Nil for a caller whose calls have no idempotency keys.
    var owner: Idempotency.Owner?
    var address = "192.0.2.1"

    /// Runs an action. A device's call has a proof of its own each time.
    ///
    /// - Parameter key: the idempotency key.
    @discardableResult
    func run<A: UseCase>(_ action: A, once key: String? = nil) async throws -> A.Outcome {
        try await run(action, once: key, proof: actor.key.map { Self.proof(by: $0, at: core.clock.now) })
    }

    @discardableResult
    func run<A: UseCase>(_ action: A, once key: String? = nil, proof: Proof?) async throws -> A.Outcome {
        var once = CallIdentity(owner: owner)
        if owner != nil {
            once.call = Idempotency.Call(app: TestCore.app, key: key, requestHash: Array("\(A.self)".utf8))
        }
        once.proof = proof.map { ($0, .authAuthenticationServerError) }
        let isOfServer = action.roles.inApp == nil
        return try await core.actions.run(
            action, by: actor, once: once,
            in: isOfServer ? .ofServer(moment: core.clock.now) : try await core.context(address: address))
    }

    static func proof(by key: KeyThumbprint, at moment: Moment) -> Proof {
        Proof(
            key: key, id: RandomSource.live.bytes(32), issuedAt: moment.milliseconds,
            origin: "https://login.example.com")
    }
}

/// A text of ASCII in full-width letters, as East Asian keyboards write it.
func wide(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xfee0) }))
}

/// A player's device.
struct Device: Sendable {
    let core: TestCore
    let key: KeyThumbprint

    /// The device, in front of another process.
    func on(_ node: TestCore) -> Device { Device(core: node, key: key) }

    /// The device before a login.
    var caller: Caller {
        Caller(
            core: core, actor: Actor(principal: .device(key, origin: "https://login.example.com"), door: .httpAPI),
            owner: .device(key))
    }

    /// The device with the refresh token of a session.
    func holder(of token: RefreshToken?) -> Caller {
        Caller(
            core: core,
            actor: Actor(principal: .tokenHolder(token ?? RefreshToken("none"), key), door: .httpAPI),
            owner: .device(key))
    }

    /// Redeems a transfer account on this device.
    @discardableResult
    func redeem(_ account: TransferAccount, with password: TransferPassword? = nil) async throws -> Login {
        try await redeem(account.id, password ?? account.password ?? "none")
    }

    @discardableResult
    func redeem(_ id: String, _ password: TransferPassword) async throws -> Login {
        let redemption = TransferRedemption(id: id, password: password)
        return try await caller.run(RedeemTransferAccount(redemption: redemption))
    }

    @discardableResult
    func redeem(_ key: TransferKey) async throws -> Login {
        try await caller.run(RedeemTransferKey(redemption: TransferKeyRedemption(transferKey: key.transferKey)))
    }

    func logIn(_ credential: Credential = Credential(provider: .guest), once id: String? = nil) async throws -> Player {
        Player(device: self, login: try await caller.run(LogIn(credential: credential), once: id))
    }
}

/// A player who is logged in on a device.
struct Player: Sendable {
    let device: Device
    var login: Login

    var user: UserID { login.member.userId }
    var core: TestCore { device.core }

    /// The player, in front of another process.
    func on(_ node: TestCore) -> Player { Player(device: device.on(node), login: login) }

    /// The player's device with its refresh token.
    var holder: Caller { device.holder(of: login.session.refreshToken) }

    @discardableResult
    func run<A: UseCase>(_ action: A, once key: String? = nil) async throws -> A.Outcome {
        try await caller.run(action, once: key)
    }

    var caller: Caller {
        get async throws {
            let claims = try await core.services.tokens.claims(
                of: login.session.accessToken, app: TestCore.app, expired: true, at: core.clock.now)
            return Caller(
                core: core, actor: Actor(principal: .player(claims), door: .httpAPI),
                owner: .session(device.key, claims.session, claims.user))
        }
    }

    /// Whether the player's session is still valid.
    var isLoggedIn: Bool {
        get async throws {
            do {
                try await run(SendHeartbeat())
                return true
            } catch is Refusal {
                return false
            }
        }
    }

    /// Why the player's session has ended; nil while it is valid.
    var sessionEnd: ErrorReason? {
        get async { await refusal { try await run(SendHeartbeat()) }?.reason }
    }

    func addMapping(_ provider: Provider, of person: String, once key: String? = nil) async throws -> MappingChange {
        try await run(AddMapping(credential: FakePeople.credential(provider, of: person)), once: key)
    }

    /// The ticket for an identity that another member has.
    func ticket(for provider: Provider, of person: String) async throws -> TicketUse? {
        let refusal = await refusal { try await addMapping(provider, of: person) }
        guard refusal?.code == .authAddMappingAlreadyMappedToOtherMember else { return nil }
        return refusal?.details.forcingMappingTicket.map { TicketUse($0) }
    }
}

extension TestCore {
    /// A device whose key's thumbprint begins with a name.
    func device(_ name: String) -> Device {
        Device(core: self, key: KeyThumbprint(name.padding(toLength: 43, withPad: "A", startingAt: 0)))
    }

    /// A guest on a device of this name.
    func guest(_ name: String = "phone") async throws -> Player { try await device(name).logIn() }

    /// A person who has logged in with a provider.
    func player(_ person: String, _ provider: Provider = .naver, on name: String = "phone") async throws -> Player {
        try await device(name).logIn(FakePeople.credential(provider, of: person))
    }

    /// A provider's report about a person.
    ///
    /// - Parameter id: reports with one id are the same report.
    @discardableResult
    func report(
        _ kind: ProviderSignal.Kind, of person: String, at provider: Provider = .naver, id: String? = nil
    ) async throws -> SignalRules.Outcome {
        let signal = ProviderSignal(
            identity: IdentityKey(provider: provider, namespace: "", subject: person), kind: kind,
            id: id ?? "\(RandomSource.live.integer(bits: 60))")
        let work = try await services.work(in: context().app, at: clock.now)
        return try await work.transact { change, tx in try SignalRules.take(signal, change, in: tx) }
    }

    func gameServer(
        _ scopes: Set<SecretKeyScope> = Set(SecretKeyScope.allCases), name: String = "game-1",
        reason: String? = "cheats"
    ) -> Caller {
        let actor = Actor(principal: .gameServer(scopes), door: .serverAPI, name: name, reason: reason)
        return Caller(core: self, actor: actor, owner: .gameServer)
    }

    func `operator`(reason: String? = "cheats") -> Caller {
        Caller(core: self, actor: .operator("mia", reason: reason))
    }

    /// Bans a member for ever, or for a time.
    @discardableResult
    func ban(_ users: [UserID], seconds: Int64? = nil, template: Int? = nil, once key: String? = nil) async throws
        -> [UserID]
    {
        let request = BanRequest(
            userIds: users, banType: seconds == nil ? .permanent : .temporary,
            endDate: seconds.map { clock.in(seconds: $0) }, templateCode: template, reason: "cheats",
            registeredBy: "game-1")
        return try await gameServer().run(BanMembers(request: request), once: key).failedUserIds
    }

    /// Registers a grace ban, which is over when so much was paid in so many payments.
    @discardableResult
    func graceBan(
        _ user: UserID, in seconds: Int64 = 86_400, amount: Double = 10, count: Int = 2, _ type: ConditionType = .and
    ) async throws -> GraceBan {
        let graceBan = GraceBan(
            gracePeriodDate: clock.in(seconds: seconds), message: "Pay.",
            paymentStatus: PaymentStatus(amount: 99, count: 99, currency: "EUR"),
            releaseRuleCondition: ReleaseRuleCondition(
                amount: amount, count: count, currency: "EUR", conditionType: type))
        let request = GraceBanRequest(userId: user, graceBan: graceBan, registeredBy: "game-1")
        return try await gameServer().run(BeginGraceBan(request: request))
    }

    @discardableResult
    func pay(
        _ user: UserID, _ id: String, _ amount: Double, in currency: String = "EUR"
    ) async throws -> PaymentOutcome {
        let report = PaymentReport(userId: user, paymentId: id, amount: amount, currency: currency)
        return try await gameServer(name: "payments").run(RecordPayment(report: report))
    }
}
