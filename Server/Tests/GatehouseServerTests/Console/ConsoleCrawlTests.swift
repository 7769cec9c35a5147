import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Every page that the console's links lead to.
@Suite struct ConsoleCrawlTests {
    private static let tables: [SQL] = [
        "app_secrets", "apps", "audit_log", "audit_progress", "ban_templates", "bans", "client_rules",
        "forcing_tickets",
        "former_identities", "grace_bans", "idempotent_calls", "identities", "identity_providers", "identity_tokens",
        "import_runs", "jobs", "ledger", "legacy_attempts", "legacy_devices", "legacy_erased", "legacy_members",
        "legacy_sources", "login_attempts", "member_notes", "members", "operator_actions",
        "operator_grants", "operator_invitations", "operator_recovery_codes", "operator_sessions", "operators",
        "payments", "provider_signals", "refusals", "replies", "revocations", "revoked_signing_keys", "sessions",
        "signing_keys",
        "spent_proofs", "test_devices", "transfer_accounts", "transfer_attempts", "transfer_keys", "used_credentials",
        "vault_check", "vault_keys", "withdrawn_sessions", "wrong_transfers",
    ]

    /// How many rows each table has.
    static func rows(of server: TestServer) async throws -> [Int] {
        try await server.database.read { tx in
            try tables.map { try tx.first("SELECT COUNT(*) FROM \($0)") { row in try row[0] as Int } ?? 0 }
        }
    }

    @Test(
        "UI-LINKS: no dead link, no failure, a token in every form, and no page writes",
        arguments: OperatorRole.allCases)
    func links(role: OperatorRole) async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let player = try await server.guest(TestDevice()).member.userId
            _ = try await server.guest(TestDevice())
            let alice = try await server.logIn(.google, "alice")
            for run in [
                try TestServer.importRun("run-1", at: server.clock.now),
                try TestServer.importRunGoingOn("run-2", at: server.clock.now),
            ] { try await server.insert(run) }
            try await server.bring(alice.user, as: "YpE2Player2", by: "run-1")
            let developer = try await server.developer()
            #expect(
                try await developer.perform("member.banned", ["user": player.rawValue], ["length": "3d"]).result != nil)
            let grants = role == .owner ? ["*": role.rawValue] : [TestServer.app.rawValue: role.rawValue]
            let kim = try await server.person("kim", grants: grants)
            try await kim.get("/console")
            let before = try await Self.rows(of: server)
            var (waiting, seen): ([String], Set<String>) = (["/console", "/console/me"], [])
            var kinds: [String: Int] = [:]
            while let path = waiting.first, seen.count < 400 {
                waiting.removeFirst()
                let kind = String(path.prefix { $0 != "?" }).replacing(/[A-Z0-9]{16}/, with: "ID")
                guard seen.insert(path).inserted, kinds[kind, default: 0] < 6 else { continue }
                kinds[kind, default: 0] += 1
                let page = try await kim.get(path)
                let isPage = [200, 303].contains(page.status)
                // What a change needs may be missing, and its page says so.
                #expect(isPage || path.contains("/do/") && page.status < 500, "\(path): \(page.status) \(page.text)")
                for form in page.forms where form.method == "post" {
                    #expect(!(form.fields["token"] ?? "").isEmpty, "\(path): \(form.action)")
                }
                let next = page.links + [page.answer.headers[.location]].compactMap { $0 }
                waiting += next.map { String($0.prefix { $0 != "#" }) }
                    .filter { $0.hasPrefix("/console") && !seen.contains($0) }
                #expect(!next.contains { $0.lowercased().hasPrefix("javascript:") })
            }
            #expect(seen.count > 8)
            #expect(try await Self.rows(of: server) == before)
        }
    }
}
