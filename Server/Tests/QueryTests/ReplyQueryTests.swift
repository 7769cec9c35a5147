import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `replies`.
@Suite struct ReplyQueryTests {
    @Test("Replies are read back as they were set, in their order, and removed one by one", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        let replies = [2, 1].map { Reply(id: $0, title: Tables.text, texts: LocalizedText(["en": Tables.text])) }
        try await Tables.transact(engine) { tx in
            for reply in replies { try ReplyQueries.set(reply, app: Tables.app, in: tx) }
            try ReplyQueries.set(replies[0], app: Tables.otherApp, in: tx)
            #expect(try ReplyQueries.replies(of: Tables.app, in: tx) == [replies[1], replies[0]])
            let changed = Reply(id: 2, title: "b", texts: LocalizedText(["en": "x", "ko": "정지"]))
            try ReplyQueries.set(changed, app: Tables.app, in: tx)
            #expect(try ReplyQueries.reply(2, app: Tables.app, in: tx) == changed)
            #expect(try ReplyQueries.delete(2, app: Tables.app, in: tx))
            #expect(try !ReplyQueries.delete(2, app: Tables.app, in: tx))
            #expect(try ReplyQueries.replies(of: Tables.app, in: tx) == [replies[1]])
            #expect(try ReplyQueries.replies(of: Tables.otherApp, in: tx) == [replies[0]])
        }
    }
}
