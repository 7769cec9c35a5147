import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The response to a call that is repeated with its idempotency key after a change.
@Suite struct RepeatedCallTests {
    private static let key = [HeaderNames.idempotencyKey: "repeated-call-1"]

    /// The change between the two calls, with the second call's expected response.
    enum Change: String, CaseIterable, Sendable {
        case ban, withdrawal, kickOut, kickOutOfAll, unmapping, transfer, maintenance

        func carryOut(on player: Player, in world: World) async throws {
            world.clock.advance(seconds: 10)
            switch self {
            case .ban:
                let request = BanRequest(userIds: [player.user], banType: .permanent, reason: "r", registeredBy: "t")
                #expect(try await world.call(server: Endpoints.ban, request).status == 200)
            case .withdrawal:
                #expect(try await world.call(Endpoints.withdraw, Empty(), by: player).status == 200)
            case .kickOut:
                try await world.run(KickOut(user: player.user, message: [:]))
            case .kickOutOfAll:
                try await world.run(KickOut(user: nil, message: [:]))
            case .unmapping:
                // This uses another session, because a session can't remove the provider that opened it.
                let other = try await world.mapped(.apple, "of-\(player.user)", to: player)
                let there = try await world.logIn(.apple, "of-\(player.user)")
                #expect(there.user == other.user)
                let removal = MappingRemoval(provider: player.login.provider)
                #expect(try await world.call(Endpoints.removeMapping, removal, by: there).status == 200)
            case .transfer:
                let account = try await world.issue(for: player)
                #expect(try await world.redeem(account, on: TestDevice()).status == 200)
            case .maintenance:
                try await world.run(SetStatus(status: .maintenance, message: [:]))
            }
            world.clock.advance(seconds: 2)
        }

        var code: Int {
            switch self {
            case .ban: 7
            case .maintenance: 3701
            default: 3201
            }
        }
    }

    @Test(
        "SES-5, BAN-1, WDR-1, REL-6: a login that is repeated with its key is told again only while its session lives",
        arguments: Engine.available, Change.allCases.filter { $0 != .unmapping })
    func guestLogin(engine: Engine, change: Change) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let first = try await world.logIn(device, headers: Self.key)
            let login = try first.decoded(as: Login.self)
            let again = try await world.logIn(device, headers: Self.key).decoded(as: Login.self)
            #expect(again.session.refreshToken == login.session.refreshToken)
            try await change.carryOut(on: Player(device: device, login: login), in: world)
            let refused = try await world.logIn(device, headers: Self.key)
            #expect(refused.code == change.code, "\(refused.text)")
            #expect(!refused.text.contains("accessToken"))
        }
    }

    @Test(
        "SES-5, BAN-1, REL-6: so is a login with a browser, and what was mapped since is told as it is now",
        arguments: Engine.available, [Change.ban, .withdrawal, .kickOut, .unmapping])
    func browserLogin(engine: Engine, change: Change) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let credential = try await world.loginCode(.google, "alice", by: device)
            let login = try await world.call(Endpoints.logIn, credential, by: device, headers: Self.key)
                .decoded(as: Login.self)
            let player = try await world.mapped(
                .facebook, "alice", to: Player(device: device, login: login))
            let again = try await world.call(Endpoints.logIn, credential, by: device, headers: Self.key)
                .decoded(as: Login.self)
            #expect(again.member.mappings.count == 2)
            #expect(again.session.refreshToken == login.session.refreshToken)
            try await change.carryOut(on: player, in: world)
            let refused = try await world.call(Endpoints.logIn, credential, by: device, headers: Self.key)
            #expect(refused.code == change.code, "\(refused.text)")
        }
    }

    @Test(
        "SES-5, BAN-1, TRF-4: so are redemptions of transfer accounts and keys, and logins by ticket",
        arguments: Engine.available, [Change.ban, .withdrawal, .kickOut])
    func otherLogins(engine: Engine, change: Change) async throws {
        try await World.open(on: engine) { world in
            let account = try await world.issue(for: world.guestPlayer())
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            let issuer = try await world.guestPlayer()
            let key = try await world.call(
                Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: 600), by: issuer
            ).decoded(as: TransferKey.self)
            _ = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: guest)
            let devices = [TestDevice(), TestDevice()]
            let calls: [(TestDevice, () async throws -> TestAnswer)] = [
                (
                    devices[0],
                    {
                        try await world.call(
                            Endpoints.redeemTransferAccount, redemption, by: devices[0], headers: Self.key)
                    }
                ),
                (
                    devices[1],
                    {
                        try await world.call(
                            Endpoints.redeemTransferKey, TransferKeyRedemption(transferKey: key.transferKey),
                            by: devices[1], headers: Self.key)
                    }
                ),
                (
                    guest.device,
                    { try await world.call(Endpoints.changeLogin, TicketUse(ticket), by: guest, headers: Self.key) }
                ),
            ]
            for (device, call) in calls {
                let login = try await call().decoded(as: Login.self)
                let again = try await call().decoded(as: Login.self)
                #expect(again.session.refreshToken == login.session.refreshToken)
                try await change.carryOut(on: Player(device: device, login: login), in: world)
                let refused = try await call()
                #expect(refused.code == (change == .ban ? 7 : 3011), "\(refused.text)")
            }
        }
    }

    @Test(
        "SES-5, REL-6: a change of an account is told again only to a session that lives; a withdrawal always",
        arguments: Engine.available)
    func changes(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.guestPlayer()
            let credential = try world.credential(.google, "alice")
            let map = {
                try await world.call(Endpoints.addMapping, credential, by: player, headers: Self.key)
            }
            #expect(try await map().status == 200)
            #expect(try await map().status == 200)
            try await Change.ban.carryOut(on: player, in: world)
            #expect(try await map().code == 3011)

            let leaver = try await world.guestPlayer()
            for _ in 0..<2 {
                #expect(
                    try await world.call(Endpoints.withdraw, Empty(), by: leaver, headers: Self.key).status == 200)
            }
        }
    }

    @Test(
        "REL-6: a key is of a member's session: another player of the same device has other calls with it",
        arguments: Engine.available)
    func owners(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let one = try await world.logIn(.google, "alice", on: device)
            let other = try await world.logIn(.google, "bob", on: device)
            for player in [one, other] {
                let change = try await world.call(
                    Endpoints.requestWithdrawal, Empty(), by: player, headers: Self.key
                ).decoded(as: MemberChange.self)
                #expect(change.member.userId == player.user)
                #expect(try await world.report(player.user).member.status == .pendingWithdrawal)
            }
        }
    }

    @Test(
        "TRF-1, REL-6: a redemption is one attempt however often it is sent with its key, right or wrong",
        arguments: Engine.available)
    func redemptions(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(ChangeAccountPolicy { $0.transfer?.attempts = 3 })
            world.clock.advance(seconds: 1)
            let account = try await world.issue(for: world.guestPlayer())
            let password = try #require(account.password)
            let device = TestDevice()
            let wrong = TransferRedemption(id: account.id, password: "Abcdefgh12")
            for _ in 0..<6 {
                let refused = try await world.call(
                    Endpoints.redeemTransferAccount, wrong, by: device, headers: Self.key)
                #expect(refused.code == 3044)
            }
            #expect(
                try await world.count(
                    "SELECT failed_attempts FROM transfer_accounts WHERE account_id = \(account.id)") == 1)
            #expect(try await world.count("SELECT guesses FROM wrong_transfers") == 1)
            // The same key with another password is another call.
            let other = TransferRedemption(id: account.id, password: password)
            #expect(
                try await world.call(Endpoints.redeemTransferAccount, other, by: device, headers: Self.key).reason
                    == "idempotency_key_reused")

            let answers = try await together(8) { _ in
                try await world.call(
                    Endpoints.redeemTransferAccount, other, by: device,
                    headers: [HeaderNames.idempotencyKey: "right-password"])
            }
            let logins = try answers.map { try $0.decoded(as: Login.self) }
            #expect(Set(logins.map(\.session.refreshToken)).count == 1)
            #expect(
                try await world.count("SELECT COUNT(*) FROM ledger WHERE event = 'transfer.redeemed'") == 1)
        }
    }

    @Test("TRF-1, REL-6: so is a redemption of a transfer key", arguments: Engine.available)
    func keys(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            for _ in 0..<4 {
                let refused = try await world.call(
                    Endpoints.redeemTransferKey, TransferKeyRedemption(transferKey: "Abcdef12"), by: device,
                    headers: Self.key)
                #expect(refused.code == 3033, "\(refused.text)")
            }
            #expect(try await world.count("SELECT guesses FROM wrong_transfers") == 1)
        }
    }

    @Test("REL-6: a repeated login is one event in the audit log", arguments: Engine.available)
    func events(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            for _ in 0..<3 {
                let answer = try await world.logIn(device, headers: Self.key)
                #expect(answer.status == 200)
            }
            #expect(world.audit.events == ["member.created"])
        }
    }

    @Test(
        "LOG-1: neither a password nor whose call it was can be found out from what is kept of a call",
        arguments: Engine.available)
    func atRest(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            _ = try await world.issue(for: guest)
            let renewal = TransferRenewal.manual(password: "Password12")
            #expect(
                try await world.call(Endpoints.renewTransferAccount, renewal, by: guest, headers: Self.key).status
                    == 200)
            let rows = try await world.database.read { tx in
                try tx.rows("SELECT owner, request_hash FROM idempotent_calls") { row in
                    (owner: try row[0] as String, hash: try row[1] as [UInt8])
                }
            }
            let path = TestCall.path(Endpoints.renewTransferAccount.template)
            let guess = CredentialClaim.hash(of: "POST \(path)\n\(try World.json(renewal))")
            #expect(rows.count == 1)
            for row in rows {
                #expect(row.hash != guess)
                #expect(!row.owner.contains(guest.device.thumbprint.rawValue))
            }
        }
    }
}
