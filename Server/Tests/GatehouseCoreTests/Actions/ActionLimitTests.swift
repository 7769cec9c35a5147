import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

@Suite struct ActionLimitTests {
    /// A limit counts the calls of each of these.
    enum Target: Sendable, Hashable { case address, device, member }

    static let limits: [(Limit, Set<Target>)] = [
        (.changes, [.device, .member]),
        (.newGuests, [.address]),
        (.loginAttempts, [.address]),
        (.refusedCredentials, [.address, .device]),
        (.refusedCodes, [.address]),
        (.transfers, [.address, .device]),
        (.refusedProofs, [.address]),
    ]

    @Test("TRF-2: each limit counts against whom it says, and an app without the limit counts nobody")
    func targets() async throws {
        try await TestCore.open { core in
            var app = try await core.context().app
            let address = ClientAddress("192.0.2.1") ?? .unknown
            let (key, user) = (KeyThumbprint("phone"), UserID("A"))
            for (limit, targets) in Self.limits {
                #expect(limit.claims(app, address: address).isEmpty == !targets.contains(.address))
                let ofAddress = targets.contains(.address) ? 1 : 0
                let withKey = limit.claims(app, address: address, key: key).count - ofAddress
                #expect((withKey == 1) == targets.contains(.device))
                let withUser = limit.claims(app, address: address, user: user).count - ofAddress
                #expect((withUser == 1) == targets.contains(.member))
            }
            app.limits.newGuestsPerMinute = 0
            app.limits.refusedProofsPerMinute = 0
            app.limits.changesPerMinute = 0
            for (limit, _) in Self.limits {
                #expect(limit.claims(app, address: address, key: key, user: user).isEmpty)
            }
        }
    }

    @Test("An address of IPv6 counts as its /64 and as its /48")
    func networks() async throws {
        try await TestCore.open { core in
            let app = try await core.context().app
            let claims = try ["2001:db8:1:2::1", "2001:db8:1:2::9", "2001:db8:1:3::1"].map {
                Limit.newGuests.claims(app, address: try #require(ClientAddress($0)))
            }
            #expect(claims[0] == claims[1])
            #expect(Set(claims[0]).intersection(claims[2]).count == 1)
        }
    }

    @Test("Changes are counted for each device and for each member, and others go on")
    func changes() async throws {
        try await TestCore.open { core in
            let phone = try await core.player("alice", on: "phone")
            let tablet = try await core.player("alice", on: "tablet")
            let bob = try await core.player("bob", on: "console")
            try await core.changeLimits { $0.changesPerMinute = 2 }
            core.clock.advance(seconds: 120)
            _ = try await phone.run(RequestWithdrawal())
            _ = try await tablet.run(CancelWithdrawal())
            let third = await refusal { try await tablet.run(RequestWithdrawal()) }
            #expect(third?.status == 429)
            #expect(third?.retryAfterSeconds == 30)
            #expect(try await bob.run(RequestWithdrawal()).member.status == .pendingWithdrawal)
            core.clock.advance(seconds: 30)
            #expect(try await tablet.run(RequestWithdrawal()).member.status == .pendingWithdrawal)
        }
    }

    @Test("A call counts once for each idempotency key")
    func repeated() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.changeLimits { $0.changesPerMinute = 1 }
            core.clock.advance(seconds: 120)
            for _ in 1...3 { _ = try await alice.run(RequestWithdrawal(), once: "first") }
            #expect(await refusal { try await alice.run(CancelWithdrawal(), once: "second") }?.status == 429)
            #expect(await refusal { try await alice.run(CancelWithdrawal()) }?.status == 429)
        }
    }

    @Test("LOGIN-1: new guests are counted for each address, and returning guests never")
    func newGuests() async throws {
        try await TestCore.open { core in
            try await core.changeLimits { $0.newGuestsPerMinute = 1 }
            let first = try await core.guest("phone")
            #expect(await refusal { try await core.guest("tablet") }?.status == 429)
            for _ in 1...3 { #expect(try await core.guest("phone").user == first.user) }
            var elsewhere = core.device("tablet").caller
            elsewhere.address = "198.51.100.7"
            let action = LogIn(credential: Credential(provider: .guest))
            #expect(try await elsewhere.run(action).member.userId != first.user)
            core.clock.advance(seconds: 60)
            _ = try await core.guest("console")
        }
    }

    @Test("INP-2: new guests that come all at once are no more than one after another")
    func guestsAtOnce() async throws {
        try await TestCore.open { core in
            try await core.changeLimits { $0.newGuestsPerMinute = 5 }
            let known = try await core.guest("known")
            let answers = await statuses(40) { number in _ = try await core.guest("new\(number)") }
            #expect(answers.count { $0 == 200 } == 4)
            #expect(answers.count { $0 == 429 } == 36)
            #expect(core.callLog.counts[.memberCreated] == 5)
            #expect(try await core.guest("known").user == known.user)
        }
    }

    @Test("Repeated and refused logins take no place of new guests")
    func placesGivenBack() async throws {
        try await TestCore.open { core in
            try await core.changeLimits { $0.newGuestsPerMinute = 2 }
            for _ in 0..<4 { _ = try await core.device("phone").logIn(once: "1") }
            try await core.operator().run(SetStatus(status: .maintenance, message: [:]))
            for number in 0..<4 { #expect(await code { try await core.guest("new\(number)") } == .authNotPlayable) }
            try await core.operator().run(SetStatus(status: .inService, message: [:]))
            _ = try await core.guest("tablet")
            #expect(await refusal { try await core.guest("console") }?.status == 429)
        }
    }

    @Test("IDP-13: refused credentials are counted of device and address, each call once, and no more at once")
    func refusedCredentialsAtOnce() async throws {
        try await TestCore.open { core in
            try await core.changeLimits { $0.refusedProofsPerMinute = 8 }
            @Sendable func wrong(_ name: String, _ token: String, once key: String? = nil) async -> Int? {
                let credential = Credential(provider: .naver, accessToken: ProviderToken(token))
                return await refusal { try await core.device(name).logIn(credential, once: key) }?.status
            }
            // This is one call, sent six times.
            for _ in 0..<6 { #expect(await wrong("phone", "made-up", once: "1") == 401) }
            for number in 0..<7 { #expect(await wrong("phone", "made-up-\(number)") == 401) }
            for number in 0..<3 { #expect(await wrong("device\(number)", "else") == 429) }
            // A call that has been counted may not ask the provider again either.
            #expect(await wrong("phone", "made-up", once: "1") == 429)
            core.clock.advance(seconds: 60)
            for number in 0..<12 { _ = try await core.player("alice\(number)", on: "phone\(number)") }
            let answers = await statuses(30) { number in
                _ = try await core.device("new\(number)").logIn(Credential(provider: .naver, accessToken: "wrong"))
            }
            #expect(answers.count { $0 == 401 } == 8)
            #expect(answers.count { $0 == 429 } == 22)
        }
    }

    @Test("IDP-13: only refused credentials are counted, and above the limit no provider is asked")
    func refusedCredentials() async throws {
        try await TestCore.open { core in
            try await core.changeLimits { $0.refusedProofsPerMinute = 2 }
            let device = core.device("phone")
            for _ in 1...4 { _ = try await device.logIn(FakePeople.credential(.naver, of: "alice")) }
            let wrong = Credential(provider: .naver, accessToken: "wrong")
            for _ in 1...2 { #expect(await code { try await device.logIn(wrong) } == .authIDPLoginFailed) }
            #expect(await refusal { try await device.logIn(wrong) }?.status == 429)
            let right = FakePeople.credential(.naver, of: "alice")
            #expect(await refusal { try await device.logIn(right) }?.status == 429)
            #expect(try await core.guest("phone").login.provider == .guest)
        }
    }

    @Test("TRF-2, TRF-6: guessing is limited for each device, over ids, passwords and keys together")
    func transfers() async throws {
        try await TestCore.open { core in
            try await core.operator().run(SetTransferPolicy { $0.transfer?.attempts = 99 })
            let caller = core.device("phone").caller
            let key = RedeemTransferKey(redemption: TransferKeyRedemption(transferKey: "1i9eiAi7"))
            let account = RedeemTransferAccount(redemption: TransferRedemption(id: "nobody", password: "Abcdefgh12"))
            for _ in 1...10 {
                #expect(await code { try await caller.run(key) } == .authTransferKeyNotExist)
                #expect(await code { try await caller.run(account) } == .authTransferAccountInvalidID)
            }
            #expect(await refusal { try await caller.run(key) }?.status == 429)
            #expect(await refusal { try await caller.run(account) }?.retryAfterSeconds != nil)
            let other = core.device("tablet").caller
            #expect(await code { try await other.run(account) } == .authTransferAccountInvalidID)
        }
    }

    @Test("TRF-2: wrong transfer keys are bounded over all devices and nodes, and lock no transfer account")
    func wrongKeys() async throws {
        try await TestCore.open { core in
            try await core.changeLimits { $0.wrongTransfersPerHour = 2 }
            let key = RedeemTransferKey(redemption: TransferKeyRedemption(transferKey: "Abcdef12"))
            for number in 1...2 {
                #expect(await code { try await core.device("d\(number)").caller.run(key) } == .authTransferKeyNotExist)
            }
            let second = try core.restarted()
            #expect(await refusal { try await second.device("d3").caller.run(key) }?.status == 429)
            let account = RedeemTransferAccount(redemption: TransferRedemption(id: "nobody", password: "Abcdefgh12"))
            #expect(
                await code { try await core.device("d4").caller.run(account) } == .authTransferAccountInvalidID)
        }
    }
}
