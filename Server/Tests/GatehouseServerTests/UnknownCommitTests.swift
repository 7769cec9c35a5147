import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseServer

/// A commit of which nobody can say whether it has succeeded: one that was undone, and one that was not.
@Suite struct UnknownCommitTests {
    @Test(
        "REL-6: a login whose commit is unknown is not told as done, and counts once when it is sent again",
        arguments: Engine.available.filter { $0 == .postgresql })
    func login(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            try await world.database.transact { tx in
                // A sequence is not rolled back, so the commit is lost once.
                try tx.execute("CREATE SEQUENCE losses")
                try tx.execute(
                    """
                    CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                        IF nextval('losses') = 1 THEN
                            RAISE EXCEPTION 'could not commit transaction for shard 102008 on at least one active node';
                        END IF;
                        RETURN NULL;
                    END $$
                    """)
                try tx.execute(
                    """
                    CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON sessions DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION lose()
                    """)
            }
            let device = TestDevice()
            let headers = [HeaderNames.idempotencyKey: "unknown-commit-1"]
            let unknown = try await world.logIn(device, headers: headers)
            #expect(unknown.status == 503 && unknown.reason == "database_unavailable", "\(unknown.text)")
            #expect(world.audit.events.isEmpty)
            let login = try await world.logIn(device, headers: headers).decoded(as: Login.self)
            let again = try await world.logIn(device, headers: headers).decoded(as: Login.self)
            #expect(again.session.refreshToken == login.session.refreshToken)
            #expect(world.audit.events == ["member.created"])
            #expect(try await world.count("SELECT COUNT(*) FROM members") == 1)
        }
    }

    private static let losses = Engine.available.filter { $0 == .postgresql }.flatMap { engine in
        CommitRelay.Loss.allCases.map { (engine, $0) }
    }

    @Test(
        "REL-6: a login whose commit has succeeded unconfirmed is not told as done, and its repetition gets its outcome",
        arguments: losses)
    func landedLogin(engine: Engine, loss: CommitRelay.Loss) async throws {
        try await World.open(on: engine) { world in
            try await withCommitRelay(to: world.location) { relay, way in
                try await world.onSecondNode(at: way) { node in
                    let device = TestDevice()
                    let headers = [HeaderNames.idempotencyKey: "unknown-commit-2"]
                    relay.loseCommit(of: "INSERT INTO sessions", by: loss)
                    let unknown = try await node.logIn(device, headers: headers)
                    #expect(unknown.status == 503 && unknown.reason == "database_unavailable", "\(unknown.text)")
                    #expect(node.audit.events.isEmpty)
                    let counts = [1, 1, 1, 1]
                    #expect(try await world.rowCounts() == counts, "the commit has not succeeded")
                    let login = try await node.logIn(device, headers: headers).decoded(as: Login.self)
                    let again = try await node.logIn(device, headers: headers).decoded(as: Login.self)
                    #expect(again.session.refreshToken == login.session.refreshToken)
                    #expect(again.member.userId == login.member.userId)
                    #expect(try await world.rowCounts() == counts)
                    #expect(try await node.refresh(device, login.session.refreshToken).status == 200)
                }
            }
        }
    }
}
