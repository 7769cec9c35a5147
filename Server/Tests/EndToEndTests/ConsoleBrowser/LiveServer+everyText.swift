import Foundation
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

extension LiveServer {
    /// Players, an operator and game servers that have filled every text of the database that others can write.
    ///
    /// - Returns: a banned member.
    func seedEveryText(_ driver: WebDriver, _ person: ConsolePerson) async throws -> UserID {
        try await seedForConsole()
        let users = try await seedPlayers()
        try await seedApp()
        try await seedActions(of: users, driver, person)
        _ = try await runOnServer(InviteOperator(name: "lee", grants: [.app("game"): .support])).text
        // A job that could not revoke a token, a note that was changed, and texts of a kick-out and of a ban.
        try await database.transact { tx in
            try tx.execute("UPDATE apps SET kick_out_message = status_message")
            try tx.execute("UPDATE bans SET message = '{\"en\":\"You cheated.\"}'")
            try tx.execute("UPDATE member_notes SET edited_by = 'kim', edited_at = created_at")
            try tx.execute(
                """
                INSERT INTO member_note_versions (app_id, version_id, note_id, user_id, author, body, written_at)
                SELECT app_id, note_id, note_id, user_id, author, 'Asked about it.', created_at FROM member_notes
                """)
            try tx.execute(
                """
                INSERT INTO jobs
                    (job_id, app_id, kind, sealed_payload, state, attempts, next_at, last_error, failures, created_at)
                VALUES ('job-1', \(Self.app.rawValue), 'revoke-idp-tokens', \([1, 2] as [UInt8]), 'waiting', 3,
                    4102444800000, 'google can''t be asked',
                    '[{"at":1700000000000,"error":"google can''t be asked"}]', 1700000000000)
                """)
        }
        try await seedImport(of: users.banned)
        try await seedReply()
        try await seedAlertReceivers()
        try await writeNumbers()
        // Refused calls are written about once a second.
        try await eventually("refused call in the database") { try await count("refusals") > 0 }
        return users.banned
    }

    /// A player of another system, the run that has brought the player, and one that was cut.
    private func seedImport(of user: UserID) async throws {
        let (app, hash) = (Self.app.rawValue, [UInt8](repeating: 1, count: 32))
        let counts = #"""
            {"created":4,"unchanged":1,"extended":0,"adopted":0,"skipped":{"heldByTwo":2,"erased":1},
            "rejected":{"badDate":3},"identities":{"google":4,"twitter":1},"notes":{"leftOut":1,"noProvider":2}}
            """#
        let options = #"""
            {"file":"/home/kim/firebase.jsonl","reports":"/home/kim/import-runs","providers":{},"assertions":{},
            "userIDs":"new","heldIdentities":"adopt","resolutions":{},"batch":500,"rate":2000}
            """#
        try await database.transact { tx in
            try tx.execute(
                """
                INSERT INTO legacy_sources (app_id, source, kind, settings, open_until, created_at)
                VALUES (\(app), 'old-game', 'firebase', '{}', 4102444800000, 1700000000000)
                """)
            try tx.execute(
                """
                INSERT INTO legacy_members (app_id, source, legacy_id, user_id, run_id, imported_at)
                VALUES (\(app), 'old-game', 'player 1', \(user.rawValue), 'run-1', 1700000000000)
                """)
            try tx.execute(
                """
                INSERT INTO legacy_devices (app_id, source, kind, value_hash, user_id)
                VALUES (\(app), 'old-game', 'deviceId', \(hash), \(user.rawValue))
                """)
            try tx.execute(
                """
                INSERT INTO legacy_erased (app_id, source, legacy_hash, erased_at)
                VALUES (\(app), 'old-game', \(hash), 1700000000000)
                """)
            try tx.execute(
                """
                INSERT INTO import_runs
                    (app_id, run_id, source, file_digest, state, checkpoint, counts, options, begun_by, begun_at, ended_at)
                VALUES (\(app), 'run-1', 'old-game', \(hash), 'done', 12, \(counts), \(options), 'kim', 1700000000000,
                    1700000000000)
                """)
            try tx.execute(
                """
                INSERT INTO import_runs
                    (app_id, run_id, source, file_digest, state, checkpoint, counts, options, begun_by, begun_at,
                    leased_until, records)
                VALUES (\(app), 'run-2', 'old-game', \(hash), 'begun', 12, \(counts), \(options), 'kim', 1700000000000,
                    1700000031000, 50000)
                """)
        }
    }

    /// A text that support copies into answers.
    func seedReply() async throws {
        try await database.transact { tx in
            try tx.execute(
                """
                INSERT INTO replies (app_id, reply_id, title, texts)
                VALUES (\(Self.app.rawValue), 1, 'About a ban',
                    '{"en":"Dear {user}, your ban ends {end}.","ko":"{user} 님의 이용 정지는 {end}에 끝납니다."}')
                """)
        }
    }

    /// A receiver of alerts of each kind, one of which has failed and is off. The others are told nothing, because their verdicts do not occur.
    func seedAlertReceivers() async throws {
        let rows: [(kind: String, hint: String, verdicts: String, outcome: String?)] = [
            ("webhook", "hooks.example.com", "no-key old-secrets", "sent"),
            ("slack", "hooks.slack.com …X8Zq", AlertWish.kinds.map(\.rawValue).joined(separator: " "), "status 404"),
            ("email", "on-call@example.com", "no-key", nil),
        ]
        let game = Self.app.rawValue
        try await database.transact { tx in
            for row in rows {
                let tried = row.outcome.map { _ in Int64(1_795_219_200_000) }
                try tx.execute(
                    """
                    INSERT INTO alert_receivers (
                        app_id, receiver_id, kind, sealed_address, hint, language, verdicts, least, quiet_from, quiet_until, is_on,
                        created_at, tried_at, outcome)
                    VALUES (\(game), \("receiver-\(row.kind)"), \(row.kind), \([1, 2] as [UInt8]), \(row.hint), 'en',
                        \(row.verdicts), 'warn', 22, 7, \(row.kind != "slack"), 1700000000000, \(tried), \(row.outcome))
                    """)
            }
        }
    }

    /// A player who has lost an account to another one and asks for its end, one with a transfer account, and two who are banned.
    private func seedPlayers() async throws -> (banned: UserID, grace: UserID) {
        let old = device("alice")
        try await old.start()
        _ = try await old.logIn(with: .google)
        let new = device("alice")
        try await new.start()
        _ = try await new.logIn(with: .guest)
        let conflict = await failure { try await new.addMapping(.google) }
        _ = try await new.addMapping(forcing: try #require(conflict?.forcingMappingTicket))
        _ = try await new.requestWithdrawal()
        let guest = device(MemoryStorage())
        try await guest.start()
        _ = try await guest.logIn(with: .guest)
        _ = try await guest.issueTransferAccount()

        let banned = device("bob")
        try await banned.start()
        let user = try await banned.logIn(with: .google).member.userId
        let grace = device("carol")
        try await grace.start()
        let other = try await grace.logIn(with: .google).member.userId
        try await run(KickOut(user: other, message: ["en": "Update!"]))
        return (user, other)
    }

    private func seedApp() async throws {
        try await run(SetStatus(status: .inService, message: ["en": "All is well.", "ko": "정상"]))
        try await run(
            PlanMaintenance(
                begin: Moment(milliseconds: 4_102_444_800_000), end: Moment(milliseconds: 4_102_448_400_000),
                message: ["en": "Version 2", "ko": "점검"], url: "https://example.com/maintenance", reason: "version 2"))
        _ = try await run(
            AddClientRule(
                ClientRule(
                    osCode: "IOS", storeCode: "AS", from: "1.0.0", below: "2.0.0", status: .requireUpdate,
                    updateURL: "https://example.com/update", message: LocalizedText(["en": "Update!"]))))
        try await run(AddTestDevice(key: KeyThumbprint(rawValue: String(repeating: "A", count: 43)), note: "our phone"))
        _ = try await run(CreateSecret(name: "chat server", scopes: [.check]))
        _ = try await run(
            SetAccountPolicy {
                $0.supportContact = "help@example.com"
                $0.supportURL = "https://example.com/help"
                $0.timeZone = "Asia/Seoul"
            })
    }

    /// What an operator writes into the console itself.
    private func seedActions(
        of users: (banned: UserID, grace: UserID), _ driver: WebDriver, _ person: ConsolePerson
    ) async throws {
        let user = users.banned
        let hand = ConsoleHand(driver)
        try await person.open("/apps/game/members/\(user)")
        try await driver.type("Asked about an item.", into: "#f-text")
        try await driver.click("#notes form button")
        _ = try await driver.text(of: "#timeline article")
        try await person.open("/apps/game/do/member.banned?user=\(user)")
        try await hand.choose("#f-template", "1")
        try await driver.click("main form button[formaction]")
        try await driver.type("TICKET-1", into: "#f-ticket")
        _ = try await hand.confirm("aimbot")
        let phone = device("bob")
        try await phone.start()
        _ = await failure { try await phone.logIn(with: .google) }
        try await person.open("/apps/game/do/ban.released?user=\(user)")
        _ = try await hand.confirm("the wrong player")
        try await person.open("/apps/game/do/member.banned?user=\(user)")
        try await driver.click("main form button[formaction]")
        _ = try await hand.confirm("aimbot after all")
        for form in [
            "begun?user=\(users.grace)&days=7&count=2&amount=50000&message=Please",
            "payment-recorded?user=\(users.grace)&payment=p-1&amount=30000",
        ] {
            try await person.open("/apps/game/do/grace-ban.\(form)")
            try await driver.click("main form button[formaction]")
            _ = try await hand.confirm("refunds")
        }
        try await person.open("/apps/game/providers/google")
        try await driver.click("#test form button")
        _ = try await driver.text(of: "ul.findings li")
    }

    private func count(_ table: SQL) async throws -> Int {
        try await database.read { tx in
            try tx.first("SELECT COUNT(*) FROM \(table)") { row in try row[0] as Int } ?? 0
        }
    }
}
