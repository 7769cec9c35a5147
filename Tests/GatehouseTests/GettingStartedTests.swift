import Foundation
import Gatehouse
import GatehouseTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The game around the article's code.
@MainActor private var screen: [String] = []
private func showNotice(_ text: String) { show("notice: \(text)") }
private func showLobby(_ user: UserID) { show("lobby: \(user)") }
private func showTitleScreen() { show("title") }
private func show(_ line: String) { Task { @MainActor in screen.append(line) } }

func makeGatehouse(serverURL: URL) -> GatehouseClient {
    GatehouseClient(.init(appID: "devgame", serverURL: serverURL))
}

func enter(_ gatehouse: GatehouseClient) async throws(AuthError) -> Member {
    // The player has read why the session has ended, and presses again.
    if case .signedOut(.sessionEnded) = gatehouse.state {
        return try await gatehouse.logIn(with: gatehouse.lastProvider ?? .guest).member
    }
    let launching = try await gatehouse.start()
    if !launching.isPlayable, let message = launching.message ?? launching.maintenance?.message {
        showNotice(message)
    }
    do {
        return try await gatehouse.logInWithLastProvider().member
    } catch {
        // Nobody has played on this device.
        guard error.code == .authTokenLoginInvalidLastLoggedInIDP else { throw error }
        return try await gatehouse.logIn(with: .guest).member
    }
}

func notice(for error: AuthError) -> String {
    switch error.code {
    case .socketError, .socketResponseTimeout: "No connection. Try again?"
    case .authTokenLoginInvalidTokenInfo: error.details.message ?? "You have been logged out."
    case .authNotPlayable: "The game is closed for maintenance."
    case .bannedMember: error.ban?.message ?? "This account is banned."
    default: "Signing in failed (\(error.code.rawValue))."
    }
}

func follow(_ gatehouse: GatehouseClient) async {
    for await state in gatehouse.states {
        switch state {
        case .signedIn(let member): showLobby(member.userId)
        case .offline(let member): showLobby(member.userId)
        case .signedOut: showTitleScreen()
        case .restoring, .locked: break
        }
    }
}

func matchRequest(_ url: URL, _ gatehouse: GatehouseClient) async throws -> URLRequest {
    var request = URLRequest(url: url)
    let token = try await gatehouse.validAccessToken()
    request.setValue("Bearer \(token.secretValue)", forHTTPHeaderField: "Authorization")
    return request
}

func leave(_ gatehouse: GatehouseClient) async throws(AuthError) {
    try await gatehouse.logOut()
}

@Suite struct GettingStartedTests {
    @Test("Every snippet of the getting-started article is in this file, word for word")
    func article() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appendingPathComponent("Sources/Gatehouse/Gatehouse.docc/GettingStarted.md"),
            encoding: .utf8)
        let source = Self.unindented(try String(contentsOfFile: #filePath, encoding: .utf8))
        let snippets = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
        #expect(snippets.count == 7)
        for snippet in snippets { #expect(source.contains(Self.unindented(snippet)), "\(snippet)") }
    }

    @Test("The article's code takes a player in and out")
    func walk() async throws {
        let device = try Device()
        device.network.script(.launching())
        device.network.script(.login())
        let member = try await enter(device.gatehouse)
        #expect(member.userId == device.gatehouse.userID)
        let url = try URL(string: "https://match.example.com").unwrapped()
        let request = try await matchRequest(url, device.gatehouse)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer access-1")
        device.network.then(Empty())
        try await leave(device.gatehouse)
        let follower = Task { await follow(device.gatehouse) }
        while await screen.isEmpty { await Task.yield() }
        #expect(await screen == ["title"])
        follower.cancel()
        #expect(makeGatehouse(serverURL: url).configuration.appID == AppID("devgame"))
    }

    @Test("The article's test kit works as it says")
    func kit() async throws {
        let serverURL = try URL(string: "https://login.example.com").unwrapped()
        let network = ScriptedTransport()
        let gatehouse = GatehouseClient(
            .init(appID: "game", serverURL: serverURL, storage: MemoryStorage()),
            environment: .testing(clock: ManualClock(), transport: network))
        network.thenRefuse(.authNotPlayable)
        let error = try await failure { try await enter(gatehouse) }.unwrapped()
        #expect(notice(for: error) == "The game is closed for maintenance.")
    }

    private static func unindented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.drop(while: { $0 == " " }) }.joined(separator: "\n")
    }
}
