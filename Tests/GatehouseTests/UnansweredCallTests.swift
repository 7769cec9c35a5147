import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import Testing

/// After 101 or 110, the game calls again (LOGIN-13).
@Suite struct UnansweredCallTests {
    private func signedIn(storage: MemoryStorage = MemoryStorage()) async throws -> Device {
        let device = try Device(storage: storage) { $0.retries = 0 }
        try await device.start()
        _ = try await device.logIn()
        return device
    }

    /// The same device after a restart of the game.
    private func restarted(_ device: Device) async throws -> Device {
        let next = try Device(storage: device.storage) { $0.retries = 0 }
        try await next.start()
        next.network.script(.login())
        _ = try await next.gatehouse.logInWithLastProvider()
        return next
    }

    private func key(_ device: Device) -> String? { device.network.requests.last?.headers["Idempotency-Key"] }

    @Test("LOGIN-13: the same call after a lost answer has the same key and the same bytes", arguments: [false, true])
    func sameCall(afterRestart: Bool) async throws {
        var device = try await signedIn()
        device.network.script(.lost())
        let credential = Credential(provider: .google, accessToken: ProviderToken("token-canary"))
        #expect(await failure { try await device.gatehouse.addMapping(credential) }?.code == .socketResponseTimeout)
        let first = try device.network.requests.last.unwrapped()
        if afterRestart { device = try await restarted(device) }
        device.network.script(.mapped())
        _ = try await device.gatehouse.addMapping(credential)
        let second = try device.network.requests.last.unwrapped()
        #expect(second.headers["Idempotency-Key"] == first.headers["Idempotency-Key"])
        #expect(second.body == first.body)
        #expect(second.headers["DPoP"] != first.headers["DPoP"])
        // After the response, nothing of the call remains on the device.
        #expect(Set(device.storage.contents.keys) == ["device-key", "session"])
        device.network.script(.mapped())
        _ = try await device.gatehouse.addMapping(credential)
        #expect(key(device) != first.headers["Idempotency-Key"])
    }

    @Test("LOGIN-13: another call has another key, and what was done since makes an unanswered call a new one")
    func otherCall() async throws {
        let device = try await signedIn()
        device.network.script(.noConnection())
        #expect(await failure { try await device.gatehouse.requestWithdrawal() }?.code == .socketError)
        let lost = key(device)
        device.network.script(.refusal(.authRemoveMappingFailed))
        #expect(
            await failure { try await device.gatehouse.removeMapping(.google) }?.code == .authRemoveMappingFailed)
        #expect(key(device) != lost)
        device.network.script(.withdrawalCancelled())
        _ = try await device.gatehouse.cancelWithdrawal()
        device.network.script(.withdrawalRequested())
        _ = try await device.gatehouse.requestWithdrawal()
        #expect(key(device) != lost)
    }

    @Test("LOGIN-13: a refusal is an answer; a proxy's page in the server's place is none")
    func answers() async throws {
        let device = try await signedIn()
        device.network.script(.refusal(.authRemoveMappingFailed))
        #expect(await failure { try await device.gatehouse.removeMapping(.google) } != nil)
        let refused = key(device)
        device.network.script(.foreignPage())
        #expect(await failure { try await device.gatehouse.removeMapping(.google) }?.code == .serverInternalError)
        let unanswered = key(device)
        #expect(unanswered != refused)
        device.network.script(.unmapped())
        _ = try await device.gatehouse.removeMapping(.google)
        #expect(key(device) == unanswered)
    }

    @Test("LOGIN-13: a key that the server has forgotten is not used again")
    func old() async throws {
        let device = try await signedIn()
        device.network.script(.lost())
        #expect(await failure { try await device.gatehouse.issueTransferAccount() } != nil)
        let lost = key(device)
        device.clock.advance(seconds: 3_400)
        device.network.script(.renewal(), .lost())
        #expect(await failure { try await device.gatehouse.issueTransferAccount() } != nil)
        #expect(key(device) != lost)
    }

    @Test("LOGIN-13: what is kept of a call tells nothing of its password")
    func noSecret() async throws {
        let device = try await signedIn()
        device.network.script(.lost())
        let password = TransferPassword("password-canary")
        #expect(
            await failure { try await device.gatehouse.redeemTransferAccount(id: "id", password: password) } != nil)
        let kept = try #require(device.storage.contents["unanswered-calls"])
        #expect(!String(decoding: kept, as: UTF8.self).contains("canary"))
    }

    @Test(
        "LOGIN-13: a mapping whose answer was lost is found, and the player sees no second page",
        arguments: [false, true])
    func page(afterRestart: Bool) async throws {
        let adapter = ScriptedAdapter(.google)
        func device(_ storage: MemoryStorage) throws -> Device {
            try Device(storage: storage) {
                $0.retries = 0
                $0.adapters = [adapter]
            }
        }
        var device1 = try device(MemoryStorage())
        device1.network.script(.launching())
        try await device1.gatehouse.start()
        _ = try await device1.logIn()
        device1.network.script(.lost())
        #expect(await failure { try await device1.gatehouse.addMapping(.google) }?.code == .socketResponseTimeout)
        // The server has mapped the identity, and only the answer was lost.
        let mapped = ScriptedAnswer.login(provider: .google, mappings: [.google])
        if afterRestart {
            let next = try device(device1.storage)
            next.network.script(.launching())
            try await next.gatehouse.start()
            next.network.script(mapped)
            _ = try await next.gatehouse.logInWithLastProvider()
            device1 = next
        }
        device1.network.script(mapped)
        let member = try await device1.gatehouse.addMapping(.google)
        #expect(member.mappings.map(\.provider) == [.google])
        #expect(device1.gatehouse.currentProvider == .google)
        #expect(device1.gatehouse.lastProvider == .google)
        #expect(adapter.requests.count == 1)
        #expect(device1.network.stepsLeft == 0)
        #expect(device1.storage.contents["unanswered-mapping"] == nil)
    }

    @Test("LOGIN-13: a mapping that never reached the server is asked for anew")
    func pageAgain() async throws {
        let adapter = ScriptedAdapter(.google)
        let device = try Device {
            $0.retries = 0
            $0.adapters = [adapter]
        }
        device.network.script(.launching())
        try await device.gatehouse.start()
        _ = try await device.logIn()
        device.network.script(.noConnection())
        #expect(await failure { try await device.gatehouse.addMapping(.google) }?.code == .socketError)
        device.network.script(.login())
        device.network.script(.mapped())
        _ = try await device.gatehouse.addMapping(.google)
        #expect(adapter.requests.count == 2)
    }

    @Test("LOGIN-12, LOGIN-13: a session that is over when a mapping is asked for again ends with 3011")
    func pageOfAnEndedSession() async throws {
        let adapter = ScriptedAdapter(.google)
        let device = try Device {
            $0.retries = 0
            $0.adapters = [adapter]
        }
        device.network.script(.launching())
        try await device.gatehouse.start()
        _ = try await device.logIn()
        device.network.script(.lost())
        #expect(await failure { try await device.gatehouse.addMapping(.google) }?.code == .socketResponseTimeout)
        device.network.script(.sessionEnded(.kickedOut), .sessionEnded(.kickedOut))
        #expect(await failure { try await device.gatehouse.addMapping(.google) }?.code == .authInvalidGatehouseToken)
        #expect(device.gatehouse.userID == nil)
        #expect(device.gatehouse.lastProvider == .guest)
    }
}
