import Foundation
import GatehouseSecurity
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

/// Slow hashes of transfer passwords, and the threads that compute them.
@Suite struct PasswordTests {
    private static let cheap = PasswordHash.Cost(exponent: 4, parallelism: 1)
    private static let somebody = origin(1)

    private static func origin(_ network: UInt8, app: AppID = "game") -> HashShares.Origin {
        .init(app: app, network: ClientAddress(bytes: [10, 0, 0, network]).network)
    }

    @Test("TRF-3: the bytes of a hash are those of scrypt, and no others are a hash")
    func bytes() throws {
        let hash = try PasswordHash(
            of: "Secret12345", cost: .init(exponent: 4, parallelism: 5), salt: Array(0..<16))
        #expect(Data(hash.bytes).base64EncodedString() == Self.second)
        #expect(PasswordHash(bytes: hash.bytes) == hash)
        let broken: [[UInt8]] = [
            [], [2, 4], Array(hash.bytes.dropLast()), [3] + hash.bytes.dropFirst(),
            [2, 4, 0] + hash.bytes.dropFirst(3),
        ]
        for broken in broken {
            #expect(PasswordHash(bytes: broken) == nil)
        }
    }

    /// Computed by Python's hashlib.scrypt with N = 16.
    private static let first = "AQQAAQIDBAUGBwgJCgsMDQ4PS9+jJpa4CMYGDoIJTVdzksfzAdozWEdxYJ+ESkcDugo="
    private static let second = "AgQFAAECAwQFBgcICQoLDA0OD/5ZvbQyomyU8OjkjjaHfvyRSSVAh76C+JUcbiZBhUvK"

    @Test("TRF-3: a hash of version 1 still verifies, and takes as long as one of today")
    func versionOne() async throws {
        let bytes = try #require(Data(base64Encoded: Self.first))
        let stored = try #require(PasswordHash(bytes: Array(bytes)))
        let done = Mutex<[PasswordQueue.Work]>([])
        let hasher = PasswordHasher(cost: .init(exponent: 4, parallelism: 5)) { work in
            done.withLock { $0.append(work) }
            return try work.compute()
        }
        #expect(try await hasher.matches("Secret12345", stored, for: Self.somebody, random: .live))
        #expect(try await !hasher.matches("Secret12346", stored, for: Self.somebody, random: .live))
        #expect(try await !hasher.matches("Secret12345", nil, for: Self.somebody, random: .live))
        let new = try await hasher.hash("Secret12345", for: Self.somebody, random: .live)
        #expect(try await hasher.matches("Secret12345", new, for: Self.somebody, random: .live))
        // One is known by an old hash, one by a new one, one is unknown: each goes through the memory five times.
        #expect(done.withLock { $0.map { $0.cost.parallelism + ($0.rest?.parallelism ?? 0) } } == [5, 5, 5, 5, 5])
    }

    @Test(
        "A password is prepared as RFC 8265 section 4.3 shows: spaces and letters have one form, and case stays",
        arguments: [
            ("correct horse battery staple", "correct horse battery staple"),
            ("Correct Horse Battery Staple", "Correct Horse Battery Staple"),
            ("\u{3c0}\u{df}\u{e5}", "\u{3c0}\u{df}\u{e5}"),
            ("Jack of \u{2666}s", "Jack of \u{2666}s"), ("foo\u{1680}bar", "foo bar"), ("a\u{a0}b\u{3000}c", "a b c"),
            ("pa\u{308}ss", "p\u{e4}ss"), ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"), ("Ａ１", "Ａ１"), ("", ""),
            ("👩\u{200d}🚀❤\u{fe0f}", "👩\u{200d}🚀❤\u{fe0f}"),
        ])
    func prepared(typed: String, password: String) throws {
        let prepared = try #require(PasswordHash.prepared(typed))
        #expect(Array(prepared.utf8) == Array(password.utf8))
    }

    @Test(
        "What can't be seen is in no password that is set",
        arguments: [
            "my cat is a \u{9}by", "a\u{0}", "a\n", "a\u{7f}", "a\u{85}", "a\u{200b}b", "\u{feff}a", "a\u{202e}b",
            "a\u{2060}", "a\u{2028}b", "a\u{e000}", "a\u{fffe}", "\u{3164}",
        ])
    func unseen(typed: String) {
        #expect(PasswordHash.prepared(typed) == nil)
    }

    @Test("A hash of what was typed is found out of date, and the number of hashes tells nothing of what is right")
    func verdicts() async throws {
        let (typed, prepared) = ("cafe\u{301}\u{a0}au lait", "caf\u{e9} au lait")
        let done = Mutex(0)
        let hasher = PasswordHasher(cost: Self.cheap) { work in
            done.withLock { $0 += 1 }
            return try work.compute()
        }
        func hash(_ text: String) throws -> PasswordHash {
            try PasswordHash(of: text, cost: Self.cheap, salt: Array(0..<16))
        }
        func verdict(_ text: String, _ known: PasswordHash?) async throws -> PasswordHasher.Verdict {
            try await hasher.verdict(on: text, known, for: Self.somebody, random: .live)
        }
        #expect(try await verdict(typed, hash(prepared)) == .right)
        #expect(try await verdict(typed, hash(typed)) == .outdated)
        #expect(try await verdict(typed, hash("another")) == .wrong)
        #expect(try await verdict(typed, nil) == .wrong)
        #expect(done.withLock { $0 } == 8)
        // What was set with a tab, in an earlier version, goes on being right.
        #expect(try await verdict("tab\tby", hash("tab\tby")) == .right)
        #expect(try await verdict(prepared, hash(prepared)) == .right)
        #expect(try await verdict(prepared, hash(typed)) == .wrong)
        #expect(done.withLock { $0 } == 11)
    }

    @Test(
        "REL-9: eight addresses that ask for all they can leave places to a ninth, to another app and to game servers")
    func shares() {
        var shares = HashShares(limit: 64)
        for network in UInt8(1)...8 {
            let taken = (0..<300).count { _ in shares.take(Self.origin(network)) }
            #expect(network == 1 ? taken == 4 : (1...4).contains(taken))
        }
        for network in UInt8(9)...20 {
            let isTaken = shares.take(Self.origin(network))
            #expect(isTaken, "\(network)")
        }
        for origin in [HashShares.Origin(app: "game", network: nil), Self.origin(1, app: "other")] {
            let isTaken = shares.take(origin)
            #expect(isTaken, "\(origin)")
        }
    }

    @Test("REL-9: an app holds half of the places at most, whatever its addresses, and any number of apps leave some")
    func shareOfApp() {
        var shares = HashShares(limit: 64)
        let taken = (0..<250).count { shares.take(Self.origin(UInt8($0))) }
        #expect(taken == 32)
        let more = shares.take(.init(app: "game", network: nil))
        #expect(!more)
        for app in ["b", "c", "d", "e", "f"] {
            let taken = (0..<250).count { shares.take(Self.origin(UInt8($0), app: AppID(app))) }
            #expect(taken > 0, "\(app)")
        }
        // Returned places can be taken again.
        for network in 0..<16 { shares.giveBack(Self.origin(UInt8(network))) }
        let again = shares.take(Self.origin(250))
        #expect(again)
    }

    @Test(
        "REL-9: who has used up a share of the hasher is refused at once, others wait, and all is given back",
        .timeLimit(.minutes(1)))
    func refusals() async throws {
        let hold = Hold()
        let hasher = PasswordHasher(cost: Self.cheap) { work in
            hold.wait()
            return try work.compute()
        }
        let somebody = (0..<4).map { _ in
            Task { try await hasher.hash("p", for: Self.somebody, random: .live) }
        }
        try await reached { hasher.queue.underway == 4 }
        let refused = await #expect(throws: Refusal.self) {
            try await hasher.hash("p", for: Self.somebody, random: .live)
        }
        #expect(refused?.reason == .overloaded)
        let other = Task { try await hasher.hash("p", for: Self.origin(2), random: .live) }
        try await reached { hasher.queue.underway == 5 }
        hold.open()
        for hash in somebody + [other] { _ = try await hash.value }
        #expect(hasher.queue.underway == 0)
        _ = try await hasher.hash("p", for: Self.somebody, random: .live)
        await hasher.close()
    }

    @Test("Whoever drops a hasher ends its threads, without closing it", .timeLimit(.minutes(1)))
    func dropped() async throws {
        var hasher: PasswordHasher? = PasswordHasher(cost: Self.cheap, threads: 3)
        _ = try await hasher?.hash("p", for: Self.somebody, random: .live)
        let queue = try #require(hasher?.queue)
        weak let dropped = hasher
        hasher = nil
        #expect(dropped == nil)
        await queue.ended()
    }

    @Test("A closed hasher has done what waited, has no threads, and refuses what comes", .timeLimit(.minutes(1)))
    func closed() async throws {
        let hold = Hold()
        let hasher = PasswordHasher(cost: Self.cheap, threads: 2) { work in
            hold.wait()
            return try work.compute()
        }
        let waiting = (1...5).map { network in
            Task { try await hasher.hash("p", for: Self.origin(network), random: .live) }
        }
        try await reached { hasher.queue.underway == 5 }
        let closing = Task { await hasher.close() }
        try await reached { hasher.queue.isClosed }
        let refusal = await #expect(throws: Refusal.self) {
            try await hasher.hash("p", for: Self.somebody, random: .live)
        }
        #expect(refusal?.reason == .overloaded)
        hold.open()
        for hash in waiting { _ = try await hash.value }
        await closing.value
        #expect(hasher.queue.runningThreads == 0)
        await hasher.close()
        let unused = PasswordHasher(cost: Self.cheap)
        await unused.close()
        let other = await #expect(throws: Refusal.self) {
            try await unused.hash("p", for: Self.somebody, random: .live)
        }
        #expect(other?.reason == .overloaded)
    }
}

/// Returns when a condition is true; otherwise the test's time limit ends it.
private func reached(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
