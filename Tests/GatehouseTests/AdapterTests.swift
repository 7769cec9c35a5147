import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import Testing

@Suite struct AdapterTests {
    struct LibraryError: Error, CustomNSError {
        static let errorDomain = "Library"
        let errorCode = 42
    }

    static func device(_ adapters: [any AuthAdapter], providers: [Provider: ProviderSettings]) async throws -> Device {
        let device = try Device { $0.adapters = adapters }
        device.network.script(.launching(providers: [.guest]) { $0.providers.merge(providers) { $1 } })
        try await device.gatehouse.start()
        return device
    }

    @Test("LOGIN-2, MAP-1: no adapter is 3002, and a provider that the app does not have 3202, or 3304 for a mapping")
    func missing() async throws {
        let adapter = ScriptedAdapter(.google)
        let device = try await Self.device([adapter], providers: [:])
        let gatehouse = device.gatehouse
        #expect(await failure { try await gatehouse.logIn(with: .facebook) }?.code == .authNotSupportedProvider)
        #expect(await failure { try await gatehouse.logIn(with: .google) }?.code == .authIDPLoginInvalidIDPInfo)
        _ = try await device.logIn()
        #expect(await failure { try await gatehouse.addMapping(.facebook) }?.code == .authNotSupportedProvider)
        #expect(await failure { try await gatehouse.addMapping(.google) }?.code == .authAddMappingInvalidIDPInfo)
        #expect(await failure { try await gatehouse.addMapping(.guest) }?.code == .authAddMappingCannotAddGuestIDP)
        #expect(adapter.requests.isEmpty)
        #expect(device.network.requests.count == 2)
    }

    @Test("LOGIN-2, ERROR-2: what an adapter's login ends with, with the library's own code and message")
    func failures() async throws {
        let adapter = ScriptedAdapter(.google)
        adapter.failStart(with: LibraryError())
        adapter.fail(.cancelled)
        adapter.fail(with: CancellationError())
        adapter.fail(.externalLoginRequired)
        adapter.fail(with: LibraryError())
        adapter.fail(.failed(code: 7, message: "no page"))
        let device = try await Self.device([adapter], providers: [.google: ProviderSettings()])
        let gatehouse = device.gatehouse
        let start = await failure { try await gatehouse.logIn(with: .google) }
        #expect(start?.code == .authExternalLibraryInitializationError)
        #expect(start?.detailErrorCode == 42)
        #expect(await failure { try await gatehouse.logIn(with: .google) }?.code == .authUserCanceled)
        #expect(await failure { try await gatehouse.logIn(with: .google) }?.code == .authUserCanceled)
        #expect(
            await failure { try await gatehouse.logIn(with: .google) }?.code
                == .authIDPLoginExternalAuthenticationRequired)
        let library = await failure { try await gatehouse.logIn(with: .google) }
        #expect(library?.code == .authExternalLibraryError)
        #expect(library?.detailErrorCode == 42)
        let adapters = await failure { try await gatehouse.logIn(with: .google) }
        #expect(adapters?.code == .authExternalLibraryError)
        #expect(adapters?.detailErrorCode == 7)
        #expect(adapters?.detailErrorMessage == "no page")
        // None of it has called the server.
        #expect(device.network.requests.count == 1)
    }

    @Test("MAP-1, ERROR-2: a login's code becomes the mapping's, and the adapter's own message stays")
    func messages() async throws {
        let adapter = ScriptedAdapter(.google)
        let device = try await Self.device([adapter], providers: [.google: ProviderSettings()])
        _ = try await device.logIn()
        for (login, mapping) in [
            (ErrorCode.authIDPLoginFailed, ErrorCode.authAddMappingFailed),
            (.authIDPLoginInvalidIDPInfo, .authAddMappingInvalidIDPInfo),
        ] {
            adapter.fail(with: AuthError(login, message: "no key hash"))
            let own = await failure { try await device.gatehouse.addMapping(.google) }
            #expect(own?.code == mapping)
            #expect(own?.message == "no key hash")
            // The table's words for the login would be wrong of a mapping.
            adapter.fail(with: AuthError(login))
            #expect(
                await failure { try await device.gatehouse.addMapping(.google) }?.message == AuthError(mapping).message)
        }
    }

    @Test("ERROR-2: an error of Foundation's keeps its number and its message")
    func foundationError() async throws {
        let adapter = ScriptedAdapter(.google)
        adapter.fail(
            with: NSError(domain: "FBSDK", code: 304, userInfo: [NSLocalizedDescriptionKey: "no key hash"]))
        let device = try await Self.device([adapter], providers: [.google: ProviderSettings()])
        let error = await failure { try await device.gatehouse.logIn(with: .google) }
        #expect(error?.code == .authExternalLibraryError)
        #expect(error?.detailErrorCode == 304)
        #expect(error?.detailErrorMessage == "no key hash")
    }

    @Test("LOGIN-3: what the game gives with the call wins, and the app's settings fill in what it lacks")
    func additionalInfo() async throws {
        let adapter = ScriptedAdapter(.google)
        let settings = ProviderSettings(
            clientId: "client", additionalInfo: ["scope": ["email"], "prompt": "select_account"])
        let device = try await Self.device([adapter], providers: [.google: settings])
        device.network.script(.login())
        _ = try await device.gatehouse.logIn(with: .google, additionalInfo: ["prompt": "none", "own": 1])
        let expected: [String: JSONValue] = ["scope": ["email"], "prompt": "none", "own": 1]
        #expect(adapter.requests.first?.additionalInfo == expected)
        #expect(adapter.requests.first?.settings.clientId == "client")
        let body = try #require(device.network.requests.last?.body)
        #expect(try JSONDecoder().decode(Credential.self, from: body).idToken?.secretValue == "token-1")
    }

    @Test("LOGOUT-1, MAP-8: adapters are logged out with the player, and one with the removal of its mapping")
    func logouts() async throws {
        let google = ScriptedAdapter(.google)
        let apple = ScriptedAdapter(.apple)
        let device = try await Self.device([google, apple], providers: [:])
        _ = try await device.logIn()
        device.network.script(.unmapped())
        _ = try await device.gatehouse.removeMapping(.apple)
        #expect(google.logouts == 0)
        #expect(apple.logouts == 1)
        device.network.script(.done())
        try await device.gatehouse.logOut()
        #expect(google.logouts == 1)
        #expect(apple.logouts == 2)
        _ = try await device.logIn()
        device.network.script(.done())
        try await device.gatehouse.withdraw()
        #expect(google.logouts == 2)
        #expect(apple.logouts == 3)
    }

    @Test("START-4: one authentication call at a time, mappings and transfers among them")
    func oneAtATime() async throws {
        let device = try await Self.device([], providers: [:])
        _ = try await device.logIn()
        let gatehouse = device.gatehouse
        device.network.script(.hanging())
        let slow = Task { try await gatehouse.addMapping(Credential(provider: .google, idToken: "t")) }
        while device.network.requests.count < 3 { await Task.yield() }
        #expect(await failure { try await gatehouse.removeMapping(.google) }?.code == .authAlreadyInProgress)
        #expect(await failure { try await gatehouse.issueTransferAccount() }?.code == .authAlreadyInProgress)
        #expect(await failure { try await gatehouse.withdraw() }?.code == .authAlreadyInProgress)
        slow.cancel()
        #expect(await failure { try await slow.value }?.code == .authUserCanceled)
        // The cancelled call was no logout: the player is still logged in.
        #expect(gatehouse.userID != nil)
    }

    @Test("WITHDRAW-1: a server that could not withdraw is 3601, and the player is where he was")
    func failedWithdrawal() async throws {
        let device = try await Self.device([], providers: [:])
        _ = try await device.logIn()
        device.network.script(.refusal(.serverInternalError))
        #expect(await failure { try await device.gatehouse.withdraw() }?.code == .authWithdrawFailed)
        #expect(device.gatehouse.userID != nil)
        #expect(device.storage.contents.keys.contains("session"))
    }

    @Test("ERROR-1: errors carry their details as values, and their description holds no secret")
    func details() async throws {
        let device = try await Self.device([], providers: [:])
        _ = try await device.logIn()
        let ticket = ForcingMappingTicket(
            userId: "A", mappedUserId: "B", mappedUserValid: MemberStatus("Z"), provider: .google,
            forcingMappingKey: ForcingMappingKey("canary"), expirationDate: 5,
            mappedMember: MemberSummary(
                registrationDate: 1, lastLoginDate: 2, providers: [.google, Provider("newidp")]))
        device.network.thenRefuse(
            .authAddMappingAlreadyMappedToOtherMember, details: ErrorDetails(forcingMappingTicket: ticket))
        let error = try await failure {
            try await device.gatehouse.addMapping(Credential(provider: .google, idToken: "t"))
        }.unwrapped()
        #expect(error.forcingMappingTicket?.mappedMember.providers == [.google, Provider("newidp")])
        #expect(error.forcingMappingTicket?.forcingMappingKey.secretValue == "canary")
        #expect(error.ban == nil)
        #expect(!error.description.contains("canary"))
        #expect(try JSONSerialization.jsonObject(with: Data(error.description.utf8)) is [String: Any])
        #expect(!"\(Credential(provider: .google, idToken: "canary"))".contains("canary"))
    }
}
