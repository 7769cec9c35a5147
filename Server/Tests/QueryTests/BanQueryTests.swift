import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `bans` and `ban_templates`.
@Suite struct BanQueryTests {
    private static let user = MemberQueryTests.user
    private static let neighbour = MemberQueryTests.neighbour
    private static let console = Origin(actor: .operator, door: .command, name: Tables.text, reason: Tables.text)

    private static func id(_ seconds: Int64) -> String { Tables.id(at: Tables.moment + seconds) }

    private static func insert(
        _ seconds: Int64, of user: UserID = user, app: AppID = Tables.app, by origin: Origin = console, in tx: Draft
    ) throws {
        let input = try BanRules.Input(type: .permanent, endsAt: nil, templateCode: nil, at: Tables.moment)
        let change = try Tables.change(app: app, at: Tables.moment + seconds, by: origin)
        try BanQueries.insert(id(seconds), user: user, input, change, in: tx)
    }

    /// Bans of the seconds 1 to 5: of the member, another, the other app, and twice the member again.
    private static func insertFive(in tx: Draft) throws {
        try insert(1, in: tx)
        try insert(2, of: neighbour, in: tx)
        try insert(3, app: Tables.otherApp, in: tx)
        try insert(4, in: tx)
        try insert(5, in: tx)
    }

    @Test("Bans of one decision are read back as they were inserted", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        let message = LocalizedText(["en": Tables.text, "ko": "정지"])
        let end = Moment(milliseconds: .max)
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                let input = try BanRules.Input(
                    type: .temporary, endsAt: end, templateCode: 7, message: message, flags: Tables.text,
                    at: Tables.moment)
                try BanQueries.insert(
                    Self.id(0), user: Self.user, input, try Tables.change(by: Self.console), in: draft)
                try Self.insert(1, by: Origin(actor: .gameServer, door: .serverAPI), in: draft)
            }
            try await database.read { tx throws in
                #expect(
                    try HoldQueries.ban(Self.id(0), app: Tables.app, in: tx)
                        == BanRecord(
                            id: Self.id(0), user: Self.user, type: .temporary, beginsAt: Tables.moment, endsAt: end,
                            templateCode: 7, message: message, reason: Tables.text, flags: Tables.text,
                            caller: "CONSOLE", registeredBy: Tables.text, release: nil))
                #expect(
                    try HoldQueries.ban(Self.id(1), app: Tables.app, in: tx)
                        == BanRecord(
                            id: Self.id(1), user: Self.user, type: .permanent, beginsAt: Tables.moment + 1, endsAt: nil,
                            templateCode: nil, message: nil, reason: "", flags: nil, caller: "APP_SERVER",
                            registeredBy: "APP_SERVER", release: nil))
                #expect(try HoldQueries.ban("none", app: Tables.app, in: tx) == nil)
            }
        }
    }

    @Test("A release is added to its ban, once", arguments: Engine.available)
    func release(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertFive(in: tx)
            try BanQueries.release(Self.id(4), try Tables.change(at: Tables.moment + 9, by: Self.console), in: tx)
            #expect(
                try HoldQueries.ban(Self.id(4), app: Tables.app, in: tx)?.release
                    == .init(at: Tables.moment + 9, caller: "CONSOLE", reason: Tables.text, by: Tables.text))
            #expect(try tx.count("bans WHERE released_at IS NULL") == 4)
        }
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try Self.insert(1, in: tx)
                try BanQueries.release(Self.id(1), try Tables.change(), in: tx)
                try BanQueries.release(Self.id(1), try Tables.change(), in: tx)
            }
        }
    }

    @Test("Bans are listed newest first, of a member or of a period", arguments: Engine.available)
    func lists(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertFive(in: tx)
            #expect(
                try BanQueries.bans(of: Self.user, app: Tables.app, in: tx).map(\.id) == [5, 4, 1].map(Self.id))
            #expect(
                try BanQueries.bans(of: Self.user, app: Tables.app, limit: 2, in: tx).map(\.id)
                    == [5, 4].map(Self.id))
            let period = { (begin: Int64, end: Int64, limit: Int) in
                try BanQueries.bans(
                    of: Tables.app, from: Tables.moment + begin, to: Tables.moment + end, limit: limit, in: tx
                ).map(\.id)
            }
            #expect(try period(2, 5, 9) == [4, 2].map(Self.id))
            #expect(try period(0, 9, 2) == [5, 4].map(Self.id))
        }
    }

    @Test("Pages of begun and released bans have both ends of their period and the total", arguments: Engine.available)
    func pages(engine: Engine) async throws {
        let period = try Period(begin: Tables.moment + 2, end: Tables.moment + 5)
        let page = try Page(number: 1, size: 2, isDescending: false)
        try await Tables.transact(engine) { tx in
            try Self.insertFive(in: tx)
            let begun = try BanQueries.begun(in: period, page, app: Tables.app, in: tx)
            #expect(begun.total == 3 && begun.elements.map(\.id) == [Self.id(5)])
            for (ban, at) in [(1, 5), (2, 2), (3, 3), (4, 2), (5, 6)] as [(Int64, Int64)] {
                let app = ban == 3 ? Tables.otherApp : Tables.app
                try BanQueries.release(Self.id(ban), try Tables.change(app: app, at: Tables.moment + at), in: tx)
            }
            let released = try BanQueries.released(in: period, page, app: Tables.app, in: tx)
            #expect(released.total == 3 && released.elements.map(\.id) == [Self.id(1)])
            let newest = try Page(number: 0, size: 9, isDescending: true)
            #expect(
                try BanQueries.released(in: period, newest, app: Tables.app, in: tx).elements.map(\.id)
                    == [1, 4, 2].map(Self.id))
        }
    }

    @Test("Present bans are those that hold their member, until their end", arguments: Engine.available)
    func current(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            try Self.insertFive(in: tx)
            for (user, app, ban, end) in [
                (Self.user, Tables.app, 4, nil), (Self.neighbour, Tables.app, 2, Tables.moment + 9),
                (Self.user, Tables.otherApp, 3, nil),
            ] as [(UserID, AppID, Int64, Moment?)] {
                let account = try MemberQueryTests.account(user, app: app, in: tx)
                let holds = Holds(ban: .init(id: Self.id(ban), endsAt: end))
                try MemberQueries.update(account, status: .banned, holds: holds, in: tx)
            }
            let current = { (seconds: Int64) in
                try BanQueries.current(
                    at: Tables.moment + seconds, Page(number: 0, size: 9, isDescending: true), app: Tables.app, in: tx)
            }
            #expect(try current(8).elements.map(\.id) == [4, 2].map(Self.id))
            #expect(try current(9).elements.map(\.id) == [Self.id(4)])
            #expect(try current(9).total == 1)
        }
    }

    @Test(
        "Lists of the console go on after a ban, and a ban gets another end unless it was released",
        arguments: Engine.available)
    func console(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            try Self.insertFive(in: tx)
            let holds = Holds(ban: .init(id: Self.id(4), endsAt: Tables.moment + 9))
            try MemberQueries.update(try MemberQueryTests.account(in: tx), status: .banned, holds: holds, in: tx)
            let bans = { (last: Int64?, limit: Int) in
                try BanQueries.bans(of: Tables.app, before: last.map(Self.id), limit: limit, in: tx).map(\.id)
            }
            #expect(try bans(nil, 9) == [5, 4, 2, 1].map(Self.id))
            #expect(try bans(4, 1) == [Self.id(2)])
            let inForce = { (seconds: Int64, last: Int64?) in
                try BanQueries.inForce(
                    at: Tables.moment + seconds, app: Tables.app, before: last.map(Self.id), limit: 9, in: tx
                ).map(\.id)
            }
            #expect(try inForce(8, nil) == [Self.id(4)])
            #expect(try inForce(9, nil).isEmpty && inForce(8, 4).isEmpty)
            let count = { (seconds: Int64, app: AppID, limit: Int) in
                try BanQueries.countInForce(at: Tables.moment + seconds, app: app, limit: limit, in: tx)
            }
            #expect(try count(8, Tables.app, 9) == 1 && count(8, Tables.app, 0) == 0)
            #expect(try count(9, Tables.app, 9) == 0 && count(8, Tables.otherApp, 9) == 0)
            try BanQueries.setEnd(Self.id(4), app: Tables.app, to: Tables.moment + 20, in: tx)
            let ban = try #require(try HoldQueries.ban(Self.id(4), app: Tables.app, in: tx))
            #expect(ban.endsAt == Tables.moment + 20 && ban.type == .temporary)
            #expect(try HoldQueries.ban(Self.id(5), app: Tables.app, in: tx)?.endsAt == nil)
        }
    }

    @Test("Bans in force are counted by template, as many as are looked at", arguments: Engine.available)
    func countsOfTemplates(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            for (seconds, user, app, template, end) in [
                (1, Self.user, Tables.app, 7, nil), (2, Self.neighbour, Tables.app, nil, Tables.moment + 9),
                (3, Self.user, Tables.otherApp, 7, nil),
            ] as [(Int64, UserID, AppID, Int?, Moment?)] {
                let input = try BanRules.Input(
                    type: end == nil ? .permanent : .temporary, endsAt: end, templateCode: template, at: Tables.moment)
                let change = try Tables.change(app: app, at: Tables.moment + seconds, by: Self.console)
                try BanQueries.insert(Self.id(seconds), user: user, input, change, in: tx)
                let account = try MemberQueryTests.account(user, app: app, in: tx)
                let holds = Holds(ban: .init(id: Self.id(seconds), endsAt: end))
                try MemberQueries.update(account, status: .banned, holds: holds, in: tx)
            }
            let counts = { (seconds: Int64, bound: Int) in
                try BanQueries.countsOfTemplates(
                    at: Tables.moment + seconds, app: Tables.app, lookingAt: bound, in: tx)
            }
            #expect(try counts(8, 9) == [7: 1, nil: 1])
            #expect(try counts(9, 9) == [7: 1])
            // The newest comes first.
            #expect(try counts(8, 1) == [nil: 1])
        }
    }

    @Test(
        "A template is replaced in its app, and templates are in the order of their codes", arguments: Engine.available)
    func templates(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let template = { (code: Int, text: String) in
                BanTemplate(code: code, name: Tables.text, texts: LocalizedText(["en": text]))
            }
            for code in [9, 1] { try BanQueries.setTemplate(template(code, "a"), app: Tables.app, in: tx) }
            try BanQueries.setTemplate(template(1, "b"), app: Tables.otherApp, in: tx)
            try BanQueries.setTemplate(template(1, Tables.text), app: Tables.app, in: tx)
            #expect(try BanQueries.templates(of: Tables.app, in: tx) == [template(1, Tables.text), template(9, "a")])
            #expect(try HoldQueries.banTemplate(1, app: Tables.otherApp, in: tx) == template(1, "b"))
            #expect(try HoldQueries.banTemplate(9, app: Tables.otherApp, in: tx) == nil)
            #expect(try BanQueries.setArchived(true, template: 1, app: Tables.app, in: tx))
            #expect(try !BanQueries.setArchived(true, template: 9, app: Tables.otherApp, in: tx))
            // A new text leaves it in the archive.
            try BanQueries.setTemplate(template(1, "c"), app: Tables.app, in: tx)
            let templates = try BanQueries.templates(of: Tables.app, in: tx)
            #expect(templates.map(\.isArchived) == [true, false] && templates[0].texts.texts == ["en": "c"])
            #expect(try HoldQueries.banTemplate(1, app: Tables.otherApp, in: tx)?.isArchived == false)
            #expect(try BanQueries.setArchived(false, template: 1, app: Tables.app, in: tx))
            #expect(try HoldQueries.banTemplate(1, app: Tables.app, in: tx)?.isArchived == false)
        }
    }
}
