import FakeProviders
import Foundation
import GatehouseSecurity
import GatehouseWire
import Synchronization
import Testing

@testable import GatehouseProviders

/// The number of callers that wait for a provider, and the resources that they hold.
@Suite struct ProviderGatewayTests {
    private final class Counter: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
    }

    /// A provider that responds when the test tells it to.
    private final class SlowProvider: Sendable {
        private let state = Mutex<(waiting: [CheckedContinuation<Void, Never>], asked: Int)>(([], 0))

        var asked: Int { state.withLock { $0.asked } }

        func fetch(_ request: OutgoingRequest) async throws -> OutgoingResponse {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.asked += 1
                    state.waiting.append(continuation)
                }
            }
            return OutgoingResponse(status: 200, body: Data("{}".utf8))
        }

        func answer() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// A gateway to a slow provider, and its documents.
    private struct SlowGateway {
        let provider = SlowProvider()
        let gateway: ProviderGateway
        let documents: CachedDocuments<String>
        /// Asks for a document with another text than this one.
        let newer = CachedDocuments<String>.Request(
            url: "https://keys", share: ProviderGatewayTests.share, isEnough: { $0 == "new" })

        /// - Parameter text: what each document is read as.
        init(reading text: String = "document") {
            let environment = ServerEnvironment(
                now: { Moment(milliseconds: 0) }, monotonicNanoseconds: { 1_000_000_000 }, random: .live,
                fetch: provider.fetch)
            gateway = ProviderGateway(environment: environment)
            documents = CachedDocuments(environment: environment, gateway: gateway) { _ in text }
        }

        /// Fetches a document once.
        func know(_ text: String) async throws {
            async let first = documents.document(at: "https://keys", of: ProviderGatewayTests.share)
            while provider.asked < 1 { await Task.yield() }
            provider.answer()
            #expect(try await first == text)
        }
    }

    private static let share = ProviderGateway.Share(app: FakeApp.id, provider: .google)
    private static let other = ProviderGateway.Share(app: AppID("other-game"), provider: .google)

    @Test("IDP-13: a bounded number waits for a document that does not come; the others are told at once")
    func documents() async throws {
        let slow = SlowGateway()
        let (provider, documents) = (slow.provider, slow.documents)
        let refusals = Counter()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do {
                        return try await documents.document(at: "https://keys", of: Self.share) == "document"
                    } catch IdentityFailure.busy {
                        refusals.add(1)
                        return false
                    }
                }
            }
            // Callers above the limit are refused while the provider is still silent.
            while refusals.value < 200 - 64 { await Task.yield() }
            #expect(provider.asked == 1)
            provider.answer()
            var found = 0
            for try await isThere in group where isThere { found += 1 }
            #expect(found == 64)
            #expect(refusals.value == 136)
        }
        // There is room again, and the document is known.
        #expect(try await documents.document(at: "https://keys", of: Self.share) == "document")
    }

    @Test("IDP-13: who can't wait for a newer document is put off, and not refused by the old one")
    func newerDocuments() async throws {
        let slow = SlowGateway(reading: "old")
        let (provider, documents) = (slow.provider, slow.documents)
        try await slow.know("old")
        let (busy, served) = (Counter(), Counter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do {
                        _ = try await documents.document(slow.newer)
                        served.add(1)
                    } catch IdentityFailure.busy {
                        busy.add(1)
                    }
                }
            }
            while busy.value < 200 - 64 || provider.asked < 2 { await Task.yield() }
            #expect(served.value == 0 && provider.asked == 2)
            provider.answer()
            try await group.waitForAll()
        }
        #expect(busy.value == 136 && served.value == 64)
        let refusal = IdentityFailure.busy.refusal(rejected: .authIDPLoginFailed, misconfigured: .notSupported)
        #expect(refusal.status == 503 && refusal.reason == .overloaded && refusal.retryAfterSeconds == 1)
    }

    @Test("IDP-13: a document that lacks something is not the last word while the provider may not be asked")
    func notAsked() async throws {
        let state = Mutex((answer: OutgoingResponse(status: 200, body: Data("old".utf8)), asked: 0, seconds: UInt64(1)))
        let environment = ServerEnvironment(
            now: { Moment(milliseconds: 0) },
            monotonicNanoseconds: { state.withLock { $0.seconds } * 1_000_000_000 }, random: .live,
            fetch: { _ in
                state.withLock { state in
                    state.asked += 1
                    return state.answer
                }
            })
        let gateway = ProviderGateway(environment: environment)
        let documents = CachedDocuments<String>(environment: environment, gateway: gateway) { body in
            String(decoding: body, as: UTF8.self)
        }
        let request = CachedDocuments<String>.Request(
            url: "https://keys", share: Self.share, isEnough: { $0 == "new" })
        #expect(try await documents.document(at: "https://keys", of: Self.share) == "old")
        state.withLock { $0.answer = OutgoingResponse(status: 503, body: Data()) }
        // A provider that was asked and has failed leaves what is known.
        #expect(try await documents.document(request) == "old")
        for _ in 0..<4 {
            await #expect(throws: IdentityFailure.unavailable) {
                _ = try await gateway.fetch(OutgoingRequest(method: "GET", url: "https://x/"), of: Self.share)
            }
        }
        // Now it is left alone. However many look for what is missing, nobody is told that it does not exist, and none of it counts
        // as a fetch.
        let before = state.withLock { $0.asked }
        for _ in 0..<20 {
            await #expect(throws: IdentityFailure.unavailable) { _ = try await documents.document(request) }
        }
        #expect(state.withLock { $0.asked } == before)
        #expect(try await documents.document(at: "https://keys", of: Self.share) == "old")
        state.withLock { state in
            state.seconds += 11
            state.answer = OutgoingResponse(status: 200, body: Data("new".utf8))
        }
        #expect(try await documents.document(request) == "new")
    }

    @Test("IDP-13: so it is while as many calls are under way as there may be")
    func notAskedBesideOthers() async throws {
        let slow = SlowGateway(reading: "old")
        let (provider, gateway) = (slow.provider, slow.gateway)
        try await slow.know("old")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    _ = try await gateway.fetch(OutgoingRequest(method: "GET", url: "https://x/"), of: Self.share)
                }
            }
            while provider.asked < 65 { await Task.yield() }
            await #expect(throws: IdentityFailure.unavailable) { _ = try await slow.documents.document(slow.newer) }
            provider.answer()
            try await group.waitForAll()
        }
    }

    @Test("IDP-13: a verified ID token logs in, though too many wait for the keys of what its code was exchanged for")
    func busyBesideIDToken() async throws {
        let app = try FakeApp()
        let provider = SlowProvider()
        let gateway = ProviderGateway(environment: app.environment)
        let client = try ProviderClient(
            .apple, app.configuration(of: .apple), region: nil, in: FakeApp.id,
            .init(
                vault: app.vault, gateway: gateway,
                discovery: Discovery(environment: app.environment, gateway: gateway), random: .live))
        let verifier = CredentialVerifier(
            client: client, keys: ProviderKeys(environment: app.environment, gateway: gateway),
            certificates: CachedDocuments(
                environment: app.environment, gateway: gateway, read: GameCenterChain.certificate),
            authorities: app.environment.authorities, moment: app.now)
        let first = try await verifier.verify(app.idps.credential(.apple, for: "alice"))
        #expect(first.tokens?.refreshToken != nil)
        let credential = try app.idps.credential(.apple, for: "alice")
        // What the code is exchanged for is signed with a key that is not known yet.
        try app.idps.rotateKey(of: .apple)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { provider.answer() }
            for _ in 0..<64 {
                group.addTask {
                    try await gateway.waiting(of: client.share) {
                        _ = try await provider.fetch(OutgoingRequest(method: "GET", url: "https://x/"))
                    }
                }
            }
            while provider.asked < 64 { await Task.yield() }
            let identity = try await verifier.verify(credential)
            #expect(identity.key == first.key && identity.tokens?.refreshToken == nil)
        }
    }

    @Test(
        "IDP-13: a provider that fails is left alone for a while, and others feel nothing of it",
        arguments: [FakeFault.down, .tooManyRequests, .slow(milliseconds: 60_000), .lostAnswer])
    func leftAlone(fault: FakeFault) async throws {
        let app = try FakeApp()
        app.idps.set(fault, for: .weibo)
        for _ in 0..<40 { #expect(try await app.failure(app.idps.credential(.weibo, for: "alice")) == .unavailable) }
        #expect(app.idps.requests(to: .weibo) <= 6)
        #expect(try await app.code(app.idToken(.google)) == nil)
        app.idps.set(nil, for: .weibo)
        app.clock.advance(seconds: 11)
        #expect(try await app.code(app.idps.credential(.weibo, for: "alice")) == nil)
    }

    @Test("IDP-12: logins through all providers at once never mix their players")
    func concurrency() async throws {
        let app = try FakeApp()
        let rounds = Int(ProcessInfo.processInfo.environment["GATEHOUSE_SOAK_ROUNDS"] ?? "") ?? 4
        for round in 0..<rounds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let provider = FakeProviders.names[number % FakeProviders.names.count]
                        let name = "player-\(round % 5)-\(number)"
                        let identity = try await app.verify(app.idps.credential(provider, for: name))
                        #expect(identity.key.provider == provider)
                        #expect(identity.key.subject == app.idps.subject(of: name, at: provider))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("IDP-13: what one app's players wait for takes nothing from another app's")
    func shares() async throws {
        let slow = SlowGateway()
        let (provider, gateway) = (slow.provider, slow.gateway)
        let request = OutgoingRequest(method: "GET", url: "https://one.example.com/")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { _ = try await gateway.fetch(request, of: Self.share) } }
            while provider.asked < 64 { await Task.yield() }
            await #expect(throws: IdentityFailure.unavailable) { _ = try await gateway.fetch(request, of: Self.share) }
            group.addTask { _ = try await gateway.fetch(request, of: Self.other) }
            while provider.asked < 65 { await Task.yield() }
            provider.answer()
            try await group.waitForAll()
        }
    }

    @Test("IDP-13: keys that can't be had close the way like any other failure")
    func breaker() async throws {
        let asked = Counter()
        let seconds = Counter()
        let environment = ServerEnvironment(
            now: { Moment(milliseconds: 0) }, monotonicNanoseconds: { UInt64(seconds.value + 1) * 1_000_000_000 },
            random: .live,
            fetch: { _ in
                asked.add(1)
                return OutgoingResponse(status: 500, body: Data())
            })
        let gateway = ProviderGateway(environment: environment)
        let documents = CachedDocuments<String>(environment: environment, gateway: gateway) { _ in "document" }
        for _ in 0..<20 {
            seconds.add(2)
            await #expect(throws: IdentityFailure.unavailable) {
                _ = try await documents.document(at: "https://keys", of: Self.share)
            }
        }
        // Five failures, then one call every ten seconds, for forty seconds.
        #expect(asked.value <= 10)
        await #expect(throws: IdentityFailure.unavailable) {
            _ = try await gateway.fetch(OutgoingRequest(method: "GET", url: "https://x/"), of: Self.share)
        }
    }

    @Test("IDP-13: however many documents are asked for, a bounded number is remembered, and good ones stay")
    func manyDocuments() async throws {
        let asked = Counter()
        let seconds = Counter()
        let environment = ServerEnvironment(
            now: { Moment(milliseconds: 0) }, monotonicNanoseconds: { UInt64(seconds.value + 1) * 1_000_000_000 },
            random: .live,
            fetch: { request in
                asked.add(1)
                let isThere = request.url.hasSuffix("good")
                return OutgoingResponse(status: isThere ? 200 : 404, body: Data("document".utf8))
            })
        let gateway = ProviderGateway(environment: environment)
        let documents = CachedDocuments<String>(environment: environment, gateway: gateway) { _ in "document" }
        let good = (0..<10).map { "https://keys/\($0)good" }
        for url in good { _ = try await documents.document(at: url, of: Self.share) }
        for number in 0..<1_000 {
            if number.isMultiple(of: 10) { seconds.add(1) }
            await #expect(throws: IdentityFailure.unavailable) {
                _ = try await documents.document(at: "https://keys/\(number)", of: Self.share)
            }
        }
        #expect(await documents.count <= 256)
        asked.add(-asked.value)
        for url in good { _ = try await documents.document(at: url, of: Self.share) }
        #expect(asked.value == 0)
        // So many good ones take each other's place, and are there.
        for number in 0..<300 { _ = try await documents.document(at: "https://keys/\(number)/good", of: Self.share) }
        #expect(asked.value == 300)
        #expect(await documents.count <= 256)
    }

    @Test("What keeps a provider from answering is told to operators, with its host and nothing else of the request")
    func outages() async throws {
        let outages = Mutex<[ProviderOutage]>([])
        let down = OutgoingResponse(status: 503, body: Data())
        let fine = OutgoingResponse(status: 200, body: Data())
        let results = Mutex<[Result<OutgoingResponse, any Error>]>([
            .failure(OutgoingFailure.timedOut(seconds: 5)), .failure(CancellationError()), .success(down),
            .success(down), .success(fine), .success(down), .success(fine), .success(down), .success(fine),
        ])
        let environment = ServerEnvironment(
            now: { Moment(milliseconds: 0) }, monotonicNanoseconds: { 1_000_000_000 }, random: .live,
            fetch: { _ in try results.withLock { $0.removeFirst() }.get() })
        let gateway = ProviderGateway(environment: environment) { outage in outages.withLock { $0.append(outage) } }
        let request = OutgoingRequest(method: "GET", url: "https://id.example.com/check?access_token=a-secret")
        for _ in 0..<3 {
            await #expect(throws: IdentityFailure.unavailable) { _ = try await gateway.fetch(request, of: Self.share) }
        }
        for _ in 0..<3 {
            await #expect(throws: IdentityFailure.unavailable) { _ = try await gateway.fetch(request, of: Self.share) }
            // The breaker would reject further calls.
            _ = try await gateway.fetch(request, of: Self.share)
        }
        let told = outages.withLock { $0 }
        #expect(
            told.map(\.cause) == [
                "its answer takes more than 5 seconds", "no answer comes", "it answers 503",
            ])
        #expect(told.allSatisfy { $0.host == "id.example.com" && !"\($0)".contains("a-secret") })
    }
}
