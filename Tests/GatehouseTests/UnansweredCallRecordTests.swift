import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gatehouse

/// Calls that run beside each other.
@Suite struct UnansweredCallRecordTests {
    private let storage = MemoryStorage()
    private var calls: UnansweredCalls { UnansweredCalls(store: SessionStore(storage: storage)) }

    @Test("LOGIN-13: a completed call leaves the key of a call that is still under way")
    func beside() {
        let calls = calls
        #expect(calls.begin("a", at: 0) { "key of a" } == "key of a")
        #expect(calls.begin("b", at: 0) { "key of b" } == "key of b")
        calls.done("b", at: 0)
        calls.ended("b")
        // The answer to the first call is lost.
        calls.ended("a")
        #expect(calls.begin("a", at: 1) { "another" } == "key of a")
    }

    @Test("LOGIN-13: a completed call makes an earlier lost one a new call, and leaves a later one")
    func order() {
        let calls = calls
        for call in ["a", "b", "c"] { _ = calls.begin(call, at: 0) { "key of \(call)" } }
        for call in ["a", "c"] { calls.ended(call) }
        calls.done("b", at: 0)
        calls.ended("b")
        #expect(calls.begin("a", at: 1) { "another" } == "another")
        #expect(calls.begin("c", at: 1) { "another" } == "key of c")
        #expect(calls.begin("b", at: 1) { "another" } == "another")
    }

    @Test("LOGIN-13: records that can't be read are not replaced")
    func unreadable() {
        let calls = calls
        _ = calls.begin("a", at: 0) { "key of a" }
        calls.ended("a")
        storage.isUnreadable = true
        #expect(calls.begin("b", at: 0) { "key of b" } == "key of b")
        calls.done("b", at: 0)
        storage.isUnreadable = false
        #expect(calls.begin("a", at: 1) { "another" } == "key of a")
    }

    @Test("LOGIN-13: calls that begin at once keep their keys", .timeLimit(.minutes(1)))
    func atOnce() async {
        let calls = calls
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { _ = calls.begin("\(number)", at: 0) { "key of \(number)" } }
            }
        }
        for number in 0..<8 { #expect(calls.begin("\(number)", at: 1) { "another" } == "key of \(number)") }
    }
}
