import Foundation
import Gatehouse
import GatehouseTesting
import Testing

/// The game around the article's code.
private let screen = Screen()
private func show(_ line: String) { screen.add(line) }

private final class Screen: @unchecked Sendable {  // Touched with the lock held.
    private let lock = NSLock()
    private var all: [String] = []
    func add(_ line: String) { lock.withLock { all.append(line) } }
    var lines: [String] { lock.withLock { all } }
}

private enum Choice { case keepThisOne, playTheOther, neither }
private func askPlayer(about member: MemberSummary) async -> Choice {
    show("\(member.providers)")
    return .keepThisOne
}
private func askPlayer(whichIsLost sessions: [DeviceSession]) async -> DeviceSession? {
    sessions.first { !$0.isCurrent }
}

func logIn(_ gatehouse: GatehouseClient, idToken: String) async throws(AuthError) -> Member {
    let credential = Credential(provider: .google, idToken: ProviderToken(idToken))
    return try await gatehouse.logIn(with: credential).member
}

func mapGoogle(_ gatehouse: GatehouseClient) async throws(AuthError) {
    do {
        try await gatehouse.addMapping(.google)
    } catch {
        guard let ticket = error.forcingMappingTicket else { throw error }
        switch await askPlayer(about: ticket.mappedMember) {
        case .keepThisOne: try await gatehouse.addMapping(forcing: ticket)
        case .playTheOther: try await gatehouse.changeLogin(with: ticket)
        case .neither: break
        }
    }
}

func logOutElsewhere(_ gatehouse: GatehouseClient) async throws(AuthError) {
    let list = try await gatehouse.fetchSessions()
    for session in list.sessions where !session.isCurrent {
        let used = session.lastUsedAt.formatted()
        show("\(session.deviceModel ?? "A device") \(session.platformName ?? ""), last used \(used)")
    }
    if let lost = await askPlayer(whichIsLost: list.sessions) {
        try await gatehouse.endSession(lost.sessionId)
    }
}

func showTransfer(_ gatehouse: GatehouseClient) async throws(AuthError) {
    let account = try await gatehouse.issueTransferAccount()
    show("\(account.id)  \(account.password?.secretValue ?? "")")
}

func redeem(_ gatehouse: GatehouseClient, id: String, password: String) async throws(AuthError) {
    do {
        try await gatehouse.redeemTransferAccount(id: id, password: TransferPassword(password))
    } catch {
        guard let block = error.transferBlock else { throw error }
        show("Too many attempts: try again after \(block.endsAt.formatted()).")
    }
}

func leaveLater(_ gatehouse: GatehouseClient) async throws(AuthError) {
    let member = try await gatehouse.requestWithdrawal()
    guard let withdrawal = member.temporaryWithdrawal else { return }
    show("Your account will be deleted at \(withdrawal.deletesAt.formatted()).")
}

func titleScreen(_ gatehouse: GatehouseClient) {
    guard let standing = gatehouse.standing else { return }
    if let message = standing.message { show(message) }
    if let end = standing.endsAt { show("until \(end.formatted())") }
    for action in standing.actions { show("button: \(action)") }
}

func followNotices(_ gatehouse: GatehouseClient) async {
    for await state in gatehouse.states {
        guard case .signedOut(.sessionEnded(let notice)) = state else { continue }
        show(notice.message ?? "Your session has ended: \(notice.reason).")
        guard let ban = notice.ban else { continue }
        show("banned \(ban.endsAt.map { "until \($0.formatted())" } ?? "for good")")
    }
}

@Suite struct AccountsArticleTests {
    @Test("Every snippet of the article on accounts is in this file, word for word")
    func article() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appendingPathComponent("Sources/Gatehouse/Gatehouse.docc/Accounts.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let snippets = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
        #expect(snippets.count == 8)
        for snippet in snippets { #expect(source.contains(snippet), "\(snippet)") }
    }

    @Test("MAP-3: the article's code solves a conflict")
    func conflict() async throws {
        let network = ScriptedTransport()
        let gatehouse = GatehouseClient.testing(network, adapters: [ScriptedAdapter(.google)])
        network.script(.launching(), .login(), .conflict(), .mapped())
        try await gatehouse.start()
        try await gatehouse.logIn(with: .guest)
        try await mapGoogle(gatehouse)
        #expect(gatehouse.currentProvider == .google)
        titleScreen(gatehouse)
        #expect(screen.lines.contains("[google]"))
        #expect(screen.lines.contains("button: play"))
    }
}
