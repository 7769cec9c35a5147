import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import Testing

/// Which logged-out providers a device remembers, and how this changes its requests to the server.
@Suite struct ReauthenticationTests {
    /// Logs in at pages that accept everybody, and records the attempts.
    private final class Paged: AuthAdapter, @unchecked Sendable {  // The attempts are touched with the lock held.
        let provider: Provider
        private let lock = NSLock()
        private var attempts: [BrowserAttempt] = []

        init(_ provider: Provider) { self.provider = provider }

        var last: BrowserAttempt? { lock.withLock { attempts.last } }

        func logIn(_ request: AdapterRequest) async throws -> Credential {
            let attempt = try await request.beginBrowserLogin(redirectURI: "http://127.0.0.1:1/")
            lock.withLock { attempts.append(attempt) }
            var credential = Credential(provider: provider)
            credential.loginCode = "code"
            return credential
        }
    }

    private static let page = LoginAttempt(authorizationUrl: "https://id.example/page", expiryDate: 1)

    private func device(_ adapters: [any AuthAdapter], _ storage: MemoryStorage = MemoryStorage()) async throws
        -> Device
    {
        let device = try Device(storage: storage) { $0.adapters = adapters }
        device.network.script(.launching(providers: adapters.map(\.provider)))
        try await device.gatehouse.start()
        return device
    }

    /// Logs in at a page, and returns the request to the server.
    private func logIn(
        _ provider: Provider, on device: Device, page: LoginAttempt = page, info: [String: JSONValue] = [:],
        replacing: Bool = false
    ) async throws -> LoginAttemptRequest {
        device.network.then(page)
        device.network.script(.login(mappings: [provider]))
        // The replaced session is ended.
        if replacing { device.network.then(Empty()) }
        let before = device.network.requests.count
        _ = try await device.gatehouse.logIn(with: provider, additionalInfo: info, replacing: replacing)
        return try JSONDecoder().decode(
            LoginAttemptRequest.self, from: device.network.requests[before].body.unwrapped())
    }

    private func logOut(_ device: Device) async throws {
        device.network.then(Empty())
        try await device.gatehouse.logOut()
    }

    @Test("LOGOUT-1: the next page after a logout asks anew, after a restart too, until somebody is in again")
    func afterLogout() async throws {
        let storage = MemoryStorage()
        let device = try await device([Paged(.google), Paged(.naver)], storage)
        #expect(try await logIn(.google, on: device).reauthenticates == nil)
        try await logOut(device)
        // A cancelled attempt changes nothing.
        device.network.thenRefuse(.serverRemoteSystemError)
        _ = await failure { try await device.gatehouse.logIn(with: .google) }
        let restarted = try await self.device([Paged(.google), Paged(.naver)], storage)
        #expect(try await logIn(.google, on: restarted).reauthenticates == true)
        // The player has never logged out of the other provider.
        #expect(try await logIn(.naver, on: restarted, replacing: true).reauthenticates == nil)
        #expect(try await logIn(.google, on: restarted, replacing: true).reauthenticates == nil)
    }

    @Test("MAP-8: the next page after a removed mapping asks anew, and a mapping ends that")
    func afterRemoval() async throws {
        let device = try await device([Paged(.google)])
        _ = try await device.logIn()
        device.network.script(.unmapped())
        _ = try await device.gatehouse.removeMapping(.google)
        for expected in [true, nil] {
            device.network.script(.value(Self.page), .mapped())
            let before = device.network.requests.count
            _ = try await device.gatehouse.addMapping(.google)
            let request = try JSONDecoder().decode(
                LoginAttemptRequest.self, from: device.network.requests[before].body.unwrapped())
            #expect(request.reauthenticates == expected)
        }
    }

    @Test("After a conflict the next page asks which account, unless the player has settled it")
    func afterConflict() async throws {
        let device = try await device([Paged(.google)])
        _ = try await device.logIn()
        func map() async throws -> LoginAttemptRequest {
            device.network.then(Self.page)
            device.network.script(.conflict())
            let before = device.network.requests.count
            let error = await failure { try await device.gatehouse.addMapping(.google) }
            #expect(error?.code == .authAddMappingAlreadyMappedToOtherMember)
            return try JSONDecoder().decode(
                LoginAttemptRequest.self, from: device.network.requests[before].body.unwrapped())
        }
        #expect(try await map().reauthenticates == nil)
        #expect(try await map().reauthenticates == true)
        let ticket = ForcingMappingTicket(
            userId: UserID("1"), mappedUserId: UserID("2"), mappedUserValid: .normal, provider: .google,
            forcingMappingKey: ForcingMappingKey("key"),
            expirationDate: 1,
            mappedMember: MemberSummary(registrationDate: 1, lastLoginDate: 1, providers: [.google]))
        device.network.script(.mapped())
        _ = try await device.gatehouse.addMapping(forcing: ticket)
        #expect(try await map().reauthenticates == nil)
    }

    @Test("LOGOUT-1: a withdrawal logs out of every provider of the member")
    func afterWithdrawal() async throws {
        let device = try await device([Paged(.google)])
        _ = try await logIn(.google, on: device)
        device.network.then(Empty())
        try await device.gatehouse.withdraw()
        #expect(try await logIn(.google, on: device).reauthenticates == true)
    }

    @Test(
        "LOGOUT-1: a page that has no parameter to ask anew is private, and stays so: the browser knows the old account"
    )
    func privatePages() async throws {
        let adapter = Paged(.twitter)
        let device = try await device([adapter])
        _ = try await logIn(.twitter, on: device)
        #expect(adapter.last?.isPrivate == false)
        var page = Self.page
        page.needsPrivateSession = true
        for _ in 0..<2 {
            try await logOut(device)
            #expect(try await logIn(.twitter, on: device, page: page).reauthenticates == true)
            #expect(adapter.last?.isPrivate == true)
        }
        #expect(try await logIn(.twitter, on: device, page: page, replacing: true).reauthenticates == true)
    }

    @Test("LOGOUT-1: a credential that is of no page says nothing of the browser; a guest has nothing to log out of")
    func otherLogins() async throws {
        let device = try await device([Paged(.google)])
        _ = try await logIn(.google, on: device)
        try await logOut(device)
        device.network.script(.login())
        _ = try await device.gatehouse.logIn(with: Credential(provider: .google, idToken: "t"))
        try await logOut(device)
        #expect(try await logIn(.google, on: device).reauthenticates == true)
        let guest = try await self.device([])
        _ = try await guest.logIn()
        try await logOut(guest)
        #expect(guest.storage.contents.keys.sorted() == ["device-key"])
    }

    @Test("LOGOUT-1: a logout that the device can't note is none")
    func unwritable() async throws {
        let device = try await device([Paged(.google)])
        _ = try await logIn(.google, on: device)
        device.storage.isUnwritable = true
        #expect(await failure { try await device.gatehouse.logOut() }?.code == .authLogoutFailed)
        #expect(device.gatehouse.currentProvider == .google)
    }

    @Test(
        "LOGIN-3: what the game gives reaches the server as it is, and what has no use there is told to its developer")
    func additionalInfo() async throws {
        let device = try await device([Paged(.google)])
        var page = Self.page
        page.unusedKeys = ["key1"]
        let info: [String: JSONValue] = ["scope": ["email"], "key1": "value1"]
        let request = try await logIn(.google, on: device, page: page, info: info)
        #expect(request.additionalInfo == info)
        #expect(device.warnings.all == ["google has no use for key1 of additionalInfo."])
    }

    @Test("LOGIN-3: the call's region wins over the app's, by either of its names")
    func regions() {
        let settings = ProviderSettings(additionalInfo: ["region": "japan"])
        #expect(AdapterRequest(settings: settings).region == "japan")
        #expect(AdapterRequest(settings: settings, additionalInfo: ["sub_code": "taiwan"]).region == "taiwan")
        let other = ProviderSettings(additionalInfo: ["sub_code": "thailand"])
        #expect(AdapterRequest(settings: other).region == "thailand")
        #expect(AdapterRequest(settings: other, additionalInfo: ["region": "taiwan"]).region == "taiwan")
        #expect(AdapterRequest(settings: ProviderSettings()).region == nil)
    }

    @Test("LOGIN-3: an adapter that says which keys it knows has the game warned of others")
    func adaptersKeys() async throws {
        let adapter = FakeWorldAdapter(.gameCenter)
        let device = try await device([adapter])
        let error = await failure {
            try await device.gatehouse.logIn(with: .gameCenter, additionalInfo: ["scope": "a"])
        }
        // There is no fake world: nothing is asked for what a client says.
        #expect(error?.code == .authNotSupportedProvider)
        #expect(device.warnings.all == ["iosgamecenter has no use for scope of additionalInfo."])
        for world in ["https://127.0.0.1", "http://evil.example", "http://127.0.0.1.evil.example"] {
            let settings = ProviderSettings(additionalInfo: ["fakeWorld": .string(world)])
            await #expect(throws: AuthError.self) { try await adapter.logIn(AdapterRequest(settings: settings)) }
        }
    }

    @Test("LOGIN-2: the fake world is asked over the SDK's own network")
    func fakeWorld() async throws {
        let device = try Device { $0.adapters = [FakeWorldAdapter(.gameCenter)] }
        let settings = ProviderSettings(additionalInfo: ["fakeWorld": "http://127.0.0.1:1"])
        device.network.script(.launching { $0.providers[.gameCenter] = settings })
        try await device.gatehouse.start()
        device.network.then(Credential(provider: .gameCenter, idToken: "from-the-world"))
        device.network.script(.login())
        try await device.gatehouse.logIn(with: .gameCenter)
        #expect(device.network.requests[1].url.absoluteString == "http://127.0.0.1:1/world/sign-in")
        let sent = try JSONDecoder().decode(Credential.self, from: device.network.requests[2].body.unwrapped())
        #expect(sent.idToken == "from-the-world")
    }
}
