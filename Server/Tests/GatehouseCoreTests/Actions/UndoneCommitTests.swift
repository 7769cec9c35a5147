import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// A commit of which nobody can say whether it has succeeded, and that was undone.
@Suite struct UndoneCommitTests {
    @Test(
        "REL-6: a login whose commit is unknown is not told as done, and counts once when it is sent again",
        arguments: Engine.available.filter { $0 == .postgresql })
    func login(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await core.database.transact { tx in
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
            let unknown = await refusal { try await core.device("phone").logIn(once: "1") }
            #expect(unknown?.reason == .databaseUnavailable)
            #expect(core.callLog.events.isEmpty)
            let login = try await core.device("phone").logIn(once: "1").login
            let again = try await core.device("phone").logIn(once: "1").login
            #expect(again.session.refreshToken == login.session.refreshToken)
            #expect(core.callLog.events == ["member.created"])
            let members = try await core.database.rows("SELECT user_id FROM members") { row in try row[0] as UserID }
            #expect(members == [login.member.userId])
        }
    }
}
