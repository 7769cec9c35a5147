import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gatehouse

/// What a provider has told is of the login that there is.
@Suite struct ProviderProfileTests {
    private let google = ProviderProfile(
        provider: .google, subject: "google-1M8S4CTH3C9FX6Z1", profile: ["name": "Alice"], accessToken: "token-of-alice"
    )

    private func login(_ refreshToken: String) -> ScriptedAnswer {
        .login(provider: .google, refreshToken: refreshToken)
    }

    private func credential(_ token: ProviderToken) -> Credential {
        Credential(provider: .google, accessToken: token)
    }

    @Test("INFO-2, LOGIN-5: what the server tells is in memory, with the login, and not on the device")
    func memory() async throws {
        let device = try Device()
        try await device.start()
        device.network.script(login("first"))
        try await device.gatehouse.logIn(with: credential("own-token"), replacing: true)
        // Without the server's profile, the game's own credential is used.
        #expect(device.gatehouse.providerProfile(of: .google)?.accessToken == "own-token")
        device.network.then(google)
        try await device.gatehouse.fetchProviderProfile(of: .google)
        #expect(device.gatehouse.providerProfile(of: .google) == google)
        #expect(device.gatehouse.providerProfile(of: .facebook) == nil)
        for item in device.storage.contents.values {
            let text = String(decoding: item, as: UTF8.self)
            #expect(!text.contains("token-of-alice") && !text.contains("own-token") && !text.contains("Alice"))
        }
        // A ban removes it, and a login with the last provider brings none.
        device.network.thenRefuse(.authInvalidGatehouseToken, status: 401, reason: .banned)
        _ = await failure { try await device.gatehouse.sendHeartbeat() }
        #expect(device.gatehouse.providerProfile(of: .google) == nil)

        device.network.script(login("second"))
        try await device.gatehouse.logInWithLastProvider()
        #expect(device.gatehouse.providerProfile(of: .google) == nil)
    }

    @Test("INFO-2: what was issued is of the account that it was issued for, also when another one is mapped meanwhile")
    func otherAccount() async throws {
        let device = try Device()
        try await device.start()
        device.network.script(login("first"))
        try await device.gatehouse.logIn(with: credential("own-token"), replacing: true)
        #expect(device.gatehouse.providerProfile(of: .google)?.accessToken == "own-token")
        // Another device has removed the mapping, and mapped another account of the same provider.
        device.network.script(.member { $0.mappings[0].subject = "another person" })
        try await device.gatehouse.fetchMember()
        #expect(device.gatehouse.providerProfile(of: .google) == nil)
    }

    @Test("START-4, INFO-2: what a provider has told is brought along as a part of the login: one try, and a short one")
    func broughtAlong() async throws {
        let network = ScriptedTransport()
        let meanwhile = Locked<(@Sendable () async -> Void)?>(nil)
        var environment = GatehouseClient.Environment.testing(clock: ManualClock(), transport: network)
        environment.send = { request in
            if request.url.path.hasSuffix("/member/profile") {
                #expect(request.timeoutSeconds == 3)
                await meanwhile.withLock { $0 }?()
            }
            return try await network.send(request)
        }
        var configuration = GatehouseClient.Configuration(
            appID: AppID("game"), serverURL: try URL(string: "https://login.example.com").unwrapped(),
            storage: MemoryStorage())
        configuration.bringsProviderProfiles = true
        let gatehouse = GatehouseClient(configuration, environment: environment)
        network.script(.launching())
        try await gatehouse.start()
        let second = credential("own-token-of-two")
        let refused = Locked<[ErrorCode?]>([])
        meanwhile.withLock {
            $0 = {
                let error = await failure { try await gatehouse.logIn(with: second, replacing: true) }
                refused.withLock { $0.append(error?.code) }
            }
        }
        network.script(login("first"))
        network.then(google)
        try await gatehouse.logIn(with: credential("own-token"), replacing: true)
        #expect(gatehouse.providerProfile(of: .google) == google)

        // Without an answer the mapping has succeeded all the same, and nobody is offline.
        network.script(.mapped())
        network.thenFail(.timedOut)
        try await gatehouse.addMapping(Credential(provider: .facebook, accessToken: "mapped"))
        guard case .signedIn(let member) = gatehouse.state else {
            Issue.record("\(gatehouse.state)")
            return
        }
        #expect(member.mappings.map(\.provider) == [.google, .facebook])
        #expect(gatehouse.providerProfile(of: .facebook)?.accessToken == "mapped")
        #expect(network.stepsLeft == 0)
        #expect(refused.withLock { $0 } == [.authAlreadyInProgress, .authAlreadyInProgress])
    }

    @Test("INFO-2: an answer that comes after another login is not that login's")
    func lateAnswer() async throws {
        let network = ScriptedTransport()
        let meanwhile = Locked<(@Sendable () async throws -> Void)?>(nil)
        var environment = GatehouseClient.Environment.testing(clock: ManualClock(), transport: network)
        environment.send = { request in
            let answer = try await network.send(request)
            if request.url.path.hasSuffix("/member/profile") { try await meanwhile.withLock { $0 }?() }
            return answer
        }
        let gatehouse = GatehouseClient(
            .init(
                appID: AppID("game"), serverURL: try URL(string: "https://login.example.com").unwrapped(),
                storage: MemoryStorage()), environment: environment)
        network.script(.launching())
        try await gatehouse.start()
        network.script(login("first"))
        try await gatehouse.logIn(with: credential("own-token-of-one"))

        // While the response is on its way the player logs in again, and the former session ends.
        network.then(google)
        network.script(login("second"))
        network.then(Empty())
        let next = credential("own-token-of-two")
        meanwhile.withLock { $0 = { _ = try await gatehouse.logIn(with: next, replacing: true) } }
        try await gatehouse.fetchProviderProfile(of: .google)
        #expect(network.stepsLeft == 0)
        #expect(gatehouse.providerProfile(of: .google)?.accessToken == "own-token-of-two")
        #expect(gatehouse.providerProfile(of: .google)?.profile == [:])
    }
}
