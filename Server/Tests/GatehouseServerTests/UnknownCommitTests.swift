import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseServer

/// A commit of which nobody can say whether it has succeeded, and that was not undone.
@Suite struct UnknownCommitTests {
    private static let losses = Engine.available.filter { $0 == .postgresql }.flatMap { engine in
        CommitRelay.Loss.allCases.map { (engine, $0) }
    }

    @Test(
        "REL-6: a login whose commit has succeeded unconfirmed is not told as done, and its repetition gets its outcome",
        arguments: losses)
    func landedLogin(engine: Engine, loss: CommitRelay.Loss) async throws {
        try await TestServer.open(on: engine) { server in
            try await withCommitRelay(to: server.location) { relay, way in
                try await server.onSecondNode(at: way) { node in
                    let device = TestDevice()
                    let headers = [HeaderNames.idempotencyKey: "unknown-commit-2"]
                    relay.loseCommit(of: "INSERT INTO sessions", by: loss)
                    let unknown = try await node.logIn(device, headers: headers)
                    #expect(unknown.status == 503 && unknown.reason == "database_unavailable", "\(unknown.text)")
                    #expect(node.audit.events.isEmpty)
                    let counts = [1, 1, 1, 1]
                    #expect(try await server.rowCounts() == counts, "the commit has not succeeded")
                    let login = try await node.logIn(device, headers: headers).decoded(as: Login.self)
                    let again = try await node.logIn(device, headers: headers).decoded(as: Login.self)
                    #expect(again.session.refreshToken == login.session.refreshToken)
                    #expect(again.member.userId == login.member.userId)
                    #expect(try await server.rowCounts() == counts)
                    #expect(try await node.refresh(device, login.session.refreshToken).status == 200)
                }
            }
        }
    }
}
