import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import Testing

/// What a logger is told.
@Suite struct LoggerTests {
    /// Everything that a logger has received.
    private final class Entries: @unchecked Sendable {  // The entries are touched with the lock held.
        private let lock = NSLock()
        private var entries: [LogEntry] = []

        var all: [LogEntry] { lock.withLock { entries } }
        func add(_ entry: LogEntry) { lock.withLock { entries.append(entry) } }
        func first(_ event: LogEntry.Event) -> LogEntry? { all.first { $0.event == event } }
        func count(_ event: LogEntry.Event) -> Int { all.count { $0.event == event } }
    }

    /// An adapter whose page comes back with a code, or whose library fails with a token in its message.
    private struct PageAdapter: AuthAdapter {
        let provider: Provider
        var fails = false

        func logIn(_ request: AdapterRequest) async throws -> Credential {
            _ = try await request.beginBrowserLogin(redirectURI: "game://login")
            if fails { throw AdapterError.failed(code: 42, message: "library-canary") }
            var credential = Credential(provider: provider)
            credential.loginCode = "login-code-canary"
            return credential
        }
    }

    private func device(_ entries: Entries, configure: (inout GatehouseClient.Configuration) -> Void = { _ in }) throws
        -> Device
    {
        try Device { configuration in
            configuration.logger = { entries.add($0) }
            configuration.adapters = [PageAdapter(provider: .google), PageAdapter(provider: .line, fails: true)]
            configure(&configuration)
        }
    }

    private func begin(_ device: Device) {
        device.network.then(
            LoginAttempt(authorizationUrl: "https://idp.example.com/?state=state-canary", expiryDate: device.now + 1))
    }

    @Test("No entry has a secret or names a person, whatever the client goes through")
    func secrets() async throws {
        let entries = Entries()
        let device = try device(entries)
        let (client, network) = (device.gatehouse, device.network)
        network.script(.launching(providers: [.guest, .google, .line]) { $0.heartbeatSeconds = 80_000 })
        try await client.start()
        _ = try await device.logIn()

        // A login with a credential that the server refuses, with the provider's words in its message.
        var credential = Credential(
            provider: .google, idToken: "id-token-canary", accessToken: "idp-access-canary", nonce: "nonce-canary")
        credential.authorizationCode = "code-canary"
        credential.codeVerifier = "verifier-canary"
        credential.personName = "name-canary"
        let given = credential
        network.thenRefuse(
            .authIDPLoginFailed, reason: .credentialRejected, details: ErrorDetails(message: "details-canary"))
        #expect(await failure { try await client.logIn(with: given, replacing: true) }?.code == .authIDPLoginFailed)
        network.thenFail(.unreachable("host-canary"))
        network.script(
            .login("2M8S4CTH3C9FX6Z1", refreshToken: "refresh-canary-2", accessToken: "access-canary-2"), .done())
        async let login = client.logIn(with: given, replacing: true)
        // One sleeper is the heartbeat of the guest.
        await device.clock.waitForSleepers(2)
        device.clock.advance(seconds: 1)
        _ = try await login

        // A page that comes back, and one whose library fails.
        begin(device)
        network.script(
            .login(
                "1M8S4CTH3C9FX6Z1", provider: .guest, refreshToken: "refresh-canary-3", accessToken: "access-canary-3"),
            .done())
        try await client.logIn(with: .google, replacing: true)
        begin(device)
        #expect(
            await failure { try await client.logIn(with: .line, replacing: true) }?.code == .authExternalLibraryError)

        // A refresh, and one that is refused.
        device.clock.advance(seconds: 3_590)
        network.script(.renewal { $0.session.accessToken = AccessToken("access-canary-4") })
        _ = try await client.validAccessToken()
        network.script(.transferAccount(id: "transfer-id", password: "password-canary"))
        _ = try await client.issueTransferAccount()
        network.thenRefuse(.authTransferAccountInvalidPassword)
        #expect(
            await failure {
                try await client.redeemTransferAccount(id: "transfer-id", password: "password-canary-2")
            } != nil)
        network.script(
            .login("3M8S4CTH3C9FX6Z1", refreshToken: "refresh-canary-5", accessToken: "access-canary-5"), .done())
        _ = try await client.redeemTransferAccount(id: "transfer-id", password: "password-canary-3")
        let stored = device.storage.contents
        network.then(Empty())
        try await client.withdraw()
        device.storage.isUnreadable = true
        #expect(await failure { try await client.logIn(with: .guest) } != nil)

        try check(entries.all, sent: network.requests, stored: stored)
        #expect(entries.count(.callSucceeded) >= 8)
        #expect(entries.count(.callFailed) == 2)
        #expect(entries.count(.storageFailed) >= 1)
    }

    /// Looks for everything secret that was sent or stored, and for what the script has called a canary.
    private func check(_ entries: [LogEntry], sent: [TransportRequest], stored: [String: Data]) throws {
        var secrets = ["canary", "access-1", "transfer-id", "1M8S4CTH3C9FX6Z1", "2M8S4CTH3C9FX6Z1"]
        secrets += ["3M8S4CTH3C9FX6Z1"]
        for request in sent {
            for name in [HeaderNames.proof, "Authorization", HeaderNames.idempotencyKey] {
                secrets += [request.headers[name]].compactMap { $0 }
            }
        }
        #expect(sent.contains { $0.headers[HeaderNames.proof] != nil })
        let key = try #require(stored["device-key"])
        secrets += [key.base64EncodedString(), Base64URL.encode(key)]
        let text = entries.map { "\($0)" }.joined(separator: "\n")
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test("A failed call is logged with its endpoint, code, status, transaction id, time and retries")
    func failedCall() async throws {
        let entries = Entries()
        let device = try device(entries)
        try await device.start()
        device.network.then { _ in
            let error = WireError(code: .authNotPlayable, message: "m", transactionId: TransactionID("4711-a"))
            let body = (try? JSONEncoder().encode(ErrorEnvelope(error: error))) ?? Data()
            return .answer(TransportResponse(status: 403, body: body))
        }
        let client = device.gatehouse
        #expect(await failure { try await client.logIn(with: .guest) }?.code == .authNotPlayable)
        let entry = try #require(entries.first(.callFailed))
        #expect(
            "\(entry)"
                == "call.failed code=3701 domain=GatehouseServer endpoint=/v1/apps/{appId}/login milliseconds=0"
                + " name=AUTH_NOT_PLAYABLE retries=0 status=403 transactionId=4711-a")
        #expect(entry.level == .warning)
        #expect(entries.first(.stateChanged)?.metadata == ["state": "signedOut", "reason": "noSession"])
    }

    @Test("A stale proof and a lost connection are logged as retries")
    func retries() async throws {
        let entries = Entries()
        let device = try device(entries)
        device.network.thenRefuse(
            .authAuthenticationServerError, reason: .proofStale,
            details: ErrorDetails(serverDate: Device.serverDate))
        device.network.script(.launching())
        try await device.gatehouse.start()
        let entry = try #require(entries.first(.callRetried))
        #expect(entry.metadata["attempt"] == "1")
        #expect(entry.metadata["reason"] == "proof_stale")
        #expect(entries.first(.callSucceeded)?.metadata["retries"] == "1")
    }

    @Test("A page, its return and a failing library are logged without what the library says")
    func pages() async throws {
        let entries = Entries()
        let device = try device(entries)
        device.network.script(.launching(providers: [.guest, .google, .line]))
        try await device.gatehouse.start()
        begin(device)
        device.network.script(.login())
        try await device.gatehouse.logIn(with: .google)
        #expect(entries.first(.browserOpened)?.metadata == ["provider": "google", "isPrivate": "false"])
        #expect(entries.first(.browserReturned)?.metadata == ["provider": "google", "milliseconds": "0"])
        begin(device)
        let client = device.gatehouse
        #expect(await failure { try await client.logIn(with: .line, replacing: true) } != nil)
        let entry = try #require(entries.first(.adapterFailed))
        #expect(entry.metadata["provider"] == "line")
        #expect(entry.metadata["during"] == "logIn")
        #expect(entry.metadata["code"] == "3009")
        #expect(entry.metadata["detailCode"] == "42")
        #expect(entry.metadata["error"] == "AdapterError")
    }

    @Test("Storage that fails is logged with the item and the kind of failure")
    func storage() async throws {
        let entries = Entries()
        let device = try device(entries)
        device.storage.isUnreadable = true
        device.network.script(.launching())
        try await device.gatehouse.start()
        let entry = try #require(entries.first(.storageFailed))
        #expect(entry.level == .error)
        #expect(entry.metadata == ["operation": "read", "item": "session", "error": "unavailable"])
        #expect(entries.first(.stateChanged)?.metadata == ["state": "locked"])
    }

    @Test("A list that can't be decoded counts as empty, and is logged once")
    func undecodable() async throws {
        let entries = Entries()
        let device = try device(entries)
        try device.storage.write(Data("no list".utf8), to: "pending-logouts")
        device.network.script(.launching(), .launching())
        for _ in 0..<2 { try await device.gatehouse.start() }
        let failures = entries.all.filter { $0.event == .storageFailed }
        #expect(failures.map(\.level) == [.error])
        #expect(failures.map(\.metadata) == [["operation": "read", "item": "pending-logouts", "error": "corrupt"]])
    }

    @Test("A reason that is not a word of the contract is not logged")
    func words() async throws {
        let entries = Entries()
        let device = try device(entries)
        try await device.start()
        device.network.thenRefuse(.authIDPLoginFailed, reason: ErrorReason("eyJhbGciOiJFUzI1NiJ9.canary"))
        let client = device.gatehouse
        #expect(await failure { try await client.logIn(with: .guest) } != nil)
        #expect(entries.first(.callFailed)?.metadata["reason"] == nil)
    }

    @Test("Without a logger nothing is logged, and by default there is none on Linux")
    func none() throws {
        #if !canImport(os)
        let url = try #require(URL(string: "https://login.example.com"))
        #expect(GatehouseClient.Configuration(appID: "game", serverURL: url).logger == nil)
        #endif
        #expect(LogEntry.Level.debug < .info && LogEntry.Level.warning < .error)
    }
}
