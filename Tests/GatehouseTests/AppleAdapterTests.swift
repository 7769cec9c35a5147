import Foundation
import GatehouseTesting
import Testing

@testable import Gatehouse

/// The logic of the adapters for Apple's systems, without calls of the system.
@Suite struct AppleAdapterTests {
    @Test("LOGIN-2: a login at Game Center ends, and ends once, whatever the system does")
    func gameCenter() {
        var known = GameCenterFlow()
        #expect(known.begin(isAuthenticated: true) == .end(.authenticated))

        var shown = GameCenterFlow()
        #expect(shown.begin(isAuthenticated: false) == .wait)
        #expect(shown.take(.page) == .show)
        #expect(shown.take(.silence) == .wait)
        #expect(shown.take(.authenticated) == .end(.authenticated))
        for event in [GameCenterFlow.Event.authenticated, .failed, .page, .silence, .abandoned] {
            #expect(shown.take(event) == .wait)
        }

        var closed = GameCenterFlow()
        _ = closed.begin(isAuthenticated: false)
        _ = closed.take(.page)
        #expect(closed.take(.cancelled) == .end(.cancelled))
        // The system no longer shows its page, so the player must go to the settings.
        #expect(closed.begin(isAuthenticated: false) == .end(.externalLoginRequired))

        for (event, outcome) in [
            (GameCenterFlow.Event.silence, GameCenterFlow.Outcome.externalLoginRequired),
            (.cancelled, .externalLoginRequired), (.failed, .failed), (.abandoned, .cancelled),
        ] {
            var flow = GameCenterFlow()
            _ = flow.begin(isAuthenticated: false)
            #expect(flow.take(event) == .end(outcome))
        }
        var early = GameCenterFlow()
        #expect(early.take(.page) == .wait)
    }

    @Test("Every order of events ends a login at Game Center at most once")
    func everyOrder() {
        let events: [GameCenterFlow.Event] = [.page, .authenticated, .cancelled, .failed, .silence, .abandoned]
        for number in 0..<7_776 {
            var flow = GameCenterFlow()
            var ends = 0
            var rest = number
            if case .end = flow.begin(isAuthenticated: false) { ends += 1 }
            for _ in 0..<5 {
                if case .end = flow.take(events[rest % 6]) { ends += 1 }
                rest /= 6
            }
            if ends == 0, case .end = flow.take(.abandoned) { ends += 1 }
            #expect(ends == 1)
        }
    }

    @Test("A name that Apple has told once is kept until the server has it")
    func names() throws {
        let names = PendingNames(storage: MemoryStorage())
        #expect(try names.name(of: "1") == nil)
        try names.keep("Alice", of: "1")
        try names.keep("Bob", of: "2")
        try names.keep("Alice A.", of: "1")
        #expect(try names.name(of: "1") == "Alice A.")
        try names.forget("Alice A.")
        try names.forget("nobody")
        #expect(try names.name(of: "1") == nil)
        #expect(try names.name(of: "2") == "Bob")
        for number in 3..<20 { try names.keep("Name \(number)", of: "\(number)") }
        #expect(try names.name(of: "2") == nil)
        #expect(try names.name(of: "19") == "Name 19")
    }
}
