import Foundation
import GatehouseSecurity
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore

/// A call with a provider's code whose answer was lost, sent again with its key.
@Suite struct RepeatedCredentialTests {
    /// A process whose exchanges of codes a test counts and holds up. The provider exchanges each code once.
    private struct Node: Sendable {
        let core: TestCore
        /// A value for each exchange that has begun.
        let began: AsyncStream<Void>
        let gate = Gate()
        private let codes = Codes()

        private final class Codes: Sendable {
            let asked = Mutex<[String]>([])

            /// Whether a code is exchanged for the first time.
            func use(_ request: OutgoingRequest) -> Bool {
                let form = String(decoding: request.body ?? Data(), as: UTF8.self).split(separator: "&")
                let code = form.first { $0.hasPrefix("code=") }.map(String.init) ?? ""
                return asked.withLock { asked in
                    asked.append(code)
                    return asked.count { $0 == code } == 1
                }
            }
        }

        /// How often the provider was asked for a token of a code.
        var exchanges: Int { codes.asked.withLock { $0.count } }

        init(_ core: TestCore, isHeld: Bool = false) throws {
            let (began, beginning) = AsyncStream.makeStream(of: Void.self)
            self.began = began
            if !isHeld { gate.open() }
            self.core = try core.restarted { [gate, codes] request in
                guard request.method == "POST" else { return try await FakePeople.answer(request) }
                let isFirst = codes.use(request)
                beginning.yield()
                await gate.wait()
                // The provider has used up the code, and a cancelled caller does not learn what for.
                try Task.checkCancellation()
                guard isFirst else {
                    return OutgoingResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
                }
                return try await FakePeople.answer(request)
            }
        }

        static func credential(of person: String) -> Credential {
            var credential = Credential(provider: .twitter)
            credential.authorizationCode = ProviderToken("\(person).1")
            return credential
        }

        func logIn() async throws -> Login {
            try await core.device("phone").logIn(Self.credential(of: "alice"), once: "1").login
        }
    }

    @Test("LOGIN-13, REL-6: a login with a code is answered again, and the provider is asked for the code once")
    func login() async throws {
        try await TestCore.open { core in
            let node = try Node(core)
            let first = try await node.logIn()
            for _ in 0..<2 {
                let again = try await node.logIn()
                #expect(again.member.userId == first.member.userId)
                #expect(again.session.refreshToken == first.session.refreshToken)
            }
            let phone = node.core.device("phone")
            let once = CallIdentity(
                call: Idempotency.Call(app: TestCore.app, key: "1", requestHash: [1]), owner: .device(phone.key))
            let another = await refusal {
                try await node.core.actions.run(
                    LogIn(credential: Node.credential(of: "bob")), by: phone.caller.actor, once: once,
                    in: node.core.context())
            }
            #expect(another?.reason == .idempotencyKeyReused)
            #expect(node.exchanges == 1)
            #expect(try await core.operator().run(.liveSessions).count == 1)
            // Another device with the same key and code is another caller, for whom the code is used up.
            let thief = node.core.device("thief")
            #expect(
                await code { try await thief.logIn(Node.credential(of: "alice"), once: "1") } == .authIDPLoginFailed)
        }
    }

    @Test("LOGIN-13, REL-6: a mapping with a code is answered again, done or in conflict, and asks the provider once")
    func mapping() async throws {
        try await TestCore.open { core in
            let node = try Node(core)
            let (guest, other) = (try await node.core.guest("phone"), try await node.core.guest("tablet"))
            let map = AddMapping(credential: Node.credential(of: "alice"))
            let first = try await guest.run(map, once: "1")
            #expect(try await guest.run(map, once: "1").member == first.member)
            #expect(first.member.mappings.map(\.provider) == [.twitter])
            #expect(node.exchanges == 1)

            var taken = Node.credential(of: "alice")
            taken.authorizationCode = "alice.2"
            let conflict = AddMapping(credential: taken)
            for _ in 0..<2 {
                #expect(
                    await code { try await other.run(conflict, once: "1") }
                        == .authAddMappingAlreadyMappedToOtherMember)
            }
            #expect(node.exchanges == 2)
            #expect(node.core.callLog.lines(.mappingConflict).count == 1)
        }
    }

    @Test(
        "LOGIN-13, REL-9: a login whose client goes during the exchange of its code is finished, and answers again",
        .timeLimit(.minutes(5)), arguments: Engine.available)
    func departure(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let node = try Node(core, isHeld: true)
            let first = Task { try await node.logIn() }
            for await _ in node.began { break }
            first.cancel()
            node.gate.open()
            let lost = try await first.value
            let again = try await node.logIn()
            #expect(again.member.userId == lost.member.userId)
            #expect(again.session.refreshToken == lost.session.refreshToken)
            #expect(node.exchanges == 1)
            #expect(try await core.operator().run(.liveSessions).count == 1)
        }
    }

    @Test(
        "LOGIN-13, REL-6: a repetition that arrives during the exchange of the code waits for it, and gets its answer",
        .timeLimit(.minutes(5)), arguments: Engine.available)
    func atOnce(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let node = try Node(core, isHeld: true)
            let first = Task { try await node.logIn() }
            for await _ in node.began { break }
            let second = Task { try await node.logIn() }
            let once = CallIdentity(
                call: Idempotency.Call(app: TestCore.app, key: "1", requestHash: []),
                owner: .device(core.device("phone").key))
            try await eventually("waiting repetition") { node.core.services.callsInFlight.waiting(for: once) > 0 }
            node.gate.open()
            let (one, other) = (try await first.value, try await second.value)
            #expect(one.member.userId == other.member.userId)
            #expect(one.session.refreshToken == other.session.refreshToken)
            #expect(node.exchanges == 1)
            #expect(try await core.operator().run(.liveSessions).count == 1)
        }
    }

    @Test("REL-9: a login that was given up before its code is exchanged leaves the code as it is")
    func givenUp() async throws {
        try await TestCore.open { core in
            let node = try Node(core)
            let (context, actor) = (try await node.core.context(), node.core.device("phone").caller.actor)
            let first = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await node.core.actions.run(
                    LogIn(credential: Node.credential(of: "alice")), by: actor, in: context)
            }
            await #expect(throws: CancellationError.self) { try await first.value }
            #expect(node.exchanges == 0)
            _ = try await node.logIn()
            #expect(node.exchanges == 1)
        }
    }
}
