import FakeProviders
import Foundation
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Logging
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The durable audit log, and the audit lines in the server's log.
@Suite struct AuditTests {
    @Test(
        "What operators, game servers, providers and time do to accounts and apps is in the database, once, whatever the door",
        arguments: Engine.ofDoors)
    func doors(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            server.clock.advance(seconds: 86_400)
            let begin = server.clock.now
            _ = try await server.run(SetAccountPolicy { policy in policy.signals.accountDeleted = .withdraw })
            server.clock.advance(seconds: 2)
            let banned = try await server.guestPlayer()
            let request = BanRequest(
                userIds: [banned.user, UserID("AAAAAAAAAAAAAAAA")], banType: .permanent, reason: "Jane Doe, bot",
                registeredBy: "server-1")
            let call = TestCall(
                path: TestCall.path(Endpoints.ban.template, app: TestServer.app),
                headers: [
                    HeaderNames.secretKey: server.secret.secretValue, HeaderNames.idempotencyKey: "ban-4711-and-so-on",
                ], body: try TestServer.json(request))
            for _ in 0..<2 { #expect(try await server.send(call).status == 200) }
            _ = try await server.run(ReleaseBans(users: [banned.user]), reason: "Jane Doe, asked")
            try await server.run(KickOut(user: nil, message: [:]))

            let byPlayer = try await server.guestPlayer()
            let byServer = try await server.guestPlayer()
            let byOperator = try await server.guestPlayer()
            let byTime = try await server.guestPlayer()
            let byProvider = try await server.logIn(.apple, "alice")
            #expect(try await server.call(Endpoints.withdraw, Empty(), by: byPlayer).status == 200)
            #expect(
                try await server.tcgb(.delete, "gateway/v1.3/apps/{a}/members/\(byServer.user)?regUser=server-1").code
                    == 0)
            try await server.run(WithdrawMember(user: byOperator.user), reason: "Jane Doe, asked")
            let (headers, body) = try server.idps.signal(.apple, "account-deleted", of: "alice")
            let path = Endpoints.path(Endpoints.signal, of: .apple, app: TestServer.app)
            #expect(
                try await server.send(
                    TestCall(path: path, headers: headers, body: String(decoding: body, as: UTF8.self))
                ).status == 200)
            #expect(try await server.call(Endpoints.requestWithdrawal, Empty(), by: byTime).status == 200)
            server.clock.advance(seconds: 8 * 86_400)
            try await server.sweep()
            // A refused change is not recorded.
            await #expect(throws: Refusal.self) {
                try await server.run(WithdrawMember(user: byPlayer.user), reason: "again")
            }

            let records = try await server.auditRecords(since: begin)
            let told = records.map { record in
                [
                    record.event, record.origin.actor.rawValue, record.origin.door.rawValue, record.origin.name ?? "",
                    record.user?.rawValue ?? "",
                ]
            }
            #expect(
                told == [
                    ["accounts.set", "operator", "command", "operator", ""],
                    ["member.banned", "gameServer", "http-api", "server-1", banned.user.rawValue],
                    // The call is about two members, so that the operators' audit has it by the name of a list.
                    ["members.banned", "gameServer", "http-api", "server-1", ""],
                    ["ban.released", "operator", "command", "operator", banned.user.rawValue],
                    ["kick-out.everyone", "operator", "command", "operator", ""],
                    ["member.withdrawn", "player", "http-api", "", byPlayer.user.rawValue],
                    ["member.withdrawn", "gameServer", "server-api", "server-1", byServer.user.rawValue],
                    ["member.withdrawn", "operator", "command", "operator", byOperator.user.rawValue],
                    ["member.withdrawn", "system", "provider", Provider.apple.rawValue, byProvider.user.rawValue],
                    ["withdrawal.requested", "player", "http-api", "", byTime.user.rawValue],
                    ["member.withdrawn", "system", "clock", "", byTime.user.rawValue],
                ])
            #expect(records.map(\.id) == records.map(\.id).sorted())
            #expect(records.allSatisfy { $0.app == TestServer.app })
            // An operator's reason may name a person, and stays in the ledger.
            #expect(try !records.map { try $0.line }.joined().contains("Jane Doe"))
            // Each withdrawal is also a line of the log.
            #expect(server.audit.events.count { $0 == "member.withdrawn" } == 5)
        }
    }

    @Test("Audit lines are written whatever the log's level")
    func levels() {
        for level in Logger.Level.allCases {
            let lines = Lines()
            var logger = Logger(label: "test") { _ in lines.handler }
            logger.logLevel = level
            let entry = AuditLog.Entry(
                event: "member.withdrawn", app: "game", actor: .operator, address: nil, transactionID: nil,
                subject: ["userId": "U"])
            AuditLog.logging(to: logger).record(entry)
            #expect(lines.all.count == 1, "\(level)")
            AuditLog.logging(to: logger, respectsLevel: true).record(entry)
            #expect(lines.all.count == (level <= .info ? 2 : 1), "\(level)")
        }
    }

    private final class Lines: Sendable {
        private let messages = Mutex<[String]>([])

        var all: [String] { messages.withLock { $0 } }
        var handler: Handler { Handler(lines: self) }

        struct Handler: LogHandler {
            let lines: Lines
            var logLevel = Logger.Level.info
            var metadata: Logger.Metadata = [:]

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                lines.messages.withLock { $0.append(event.message.description) }
            }
        }
    }
}

extension TestServer {
    func auditRecords(since moment: Moment) async throws -> [AuditRecord] {
        var records: [AuditRecord] = []
        var page: ListAuditRecords? = ListAuditRecords(since: moment)
        while let list = page {
            let (found, next) = try await run(list)
            records += found
            page = next.map(ListAuditRecords.init(after:))
        }
        return records
    }
}
