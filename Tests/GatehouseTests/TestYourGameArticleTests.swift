import Foundation
import Gatehouse
import GatehouseTesting
import Testing

// The tests of the article, as they stand.
@Test func aBannedPlayerReadsWhy() async throws {
    let network = ScriptedTransport()
    let gatehouse = GatehouseClient.testing(network)
    network.script(.launching(), .login())
    try await gatehouse.start()
    try await gatehouse.logIn(with: .guest)

    network.script(.banned(message: "Cheating."))
    let error = await #expect(throws: AuthError.self) {
        try await gatehouse.logInWithLastProvider()
    }
    #expect(error?.ban?.message == "Cheating.")
}

@Test func aLostAnswerKeepsTheSession() async throws {
    let network = ScriptedTransport()
    let storage = MemoryStorage()
    network.script(.launching(), .login(), .launching(), .noConnection())
    let first = GatehouseClient.testing(network, storage: storage)
    try await first.start()
    let member = try await first.logIn(with: .guest).member

    // The same storage in a new client: the game after a restart.
    let second = GatehouseClient.testing(network, storage: storage)
    try await second.start()
    await #expect(throws: AuthError.self) {
        try await second.logInWithLastProvider()
    }
    #expect(second.state == .offline(member))
}

@Test func aPlayerWhoClosesThePageStaysAGuest() async throws {
    let network = ScriptedTransport()
    let google = ScriptedAdapter(.google)
    google.fail(.cancelled)
    let gatehouse = GatehouseClient.testing(network, adapters: [google])
    network.script(.launching(), .login())
    try await gatehouse.start()
    try await gatehouse.logIn(with: .guest)

    let error = await #expect(throws: AuthError.self) {
        try await gatehouse.addMapping(.google)
    }
    #expect(error?.code == .authUserCanceled)
    #expect(gatehouse.currentProvider == .guest)
}

@Test func aConflictBringsATicket() async throws {
    let network = ScriptedTransport()
    let google = ScriptedAdapter(.google)
    google.succeed(with: Credential(provider: .google, idToken: ProviderToken("x")))
    let gatehouse = GatehouseClient.testing(network, adapters: [google])
    network.script(.launching(), .login(), .conflict())
    try await gatehouse.start()
    try await gatehouse.logIn(with: .guest)

    let error = await #expect(throws: AuthError.self) {
        try await gatehouse.addMapping(.google)
    }
    #expect(error?.forcingMappingTicket != nil)
}

@Suite struct TestYourGameArticleTests {
    @Test("Every test of the article on tests is in this file, word for word")
    func article() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = "Sources/GatehouseTesting/GatehouseTesting.docc/TestYourGame.md"
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let snippets = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
        #expect(snippets.count == 4)
        for snippet in snippets {
            let code = snippet.components(separatedBy: "\n").filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
            #expect(source.contains(code), "\(snippet)")
        }
    }
}
