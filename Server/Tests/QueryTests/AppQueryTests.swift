import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `apps` and `test_devices`.
@Suite struct AppQueryTests {
    private static let text = LocalizedText(["en": Tables.text, "zh-hant": "維護"])

    /// An app with a value in every column.
    private static func fullApp(_ id: AppID) -> App {
        var limits = AppLimits()
        limits.newGuestsPerMinute = 1
        limits.refusedProofsPerMinute = 2
        limits.changesPerMinute = 3
        limits.liveSessions = 4
        limits.wrongTransfersPerHour = .max
        var policy = AccountPolicy()
        policy.supportContact = Tables.text
        policy.transfer = TransferPolicy()
        policy.redirects = ["game://x"]
        return App(
            id: id, name: Tables.text, status: .inServiceForTestDevices, statusMessage: text,
            maintenance: .init(
                begin: Moment(milliseconds: .min), end: Moment(milliseconds: .max), message: text, url: Tables.text,
                reason: Tables.text),
            defaultLanguage: "ko", limits: limits, policy: policy, kickOut: .init(at: Tables.moment, message: text),
            createdAt: Tables.moment)
    }

    @Test("An app is read back with every column, and its id is taken", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        let app = Self.fullApp(AppID("full"))
        try await Tables.transact(engine) { tx throws in
            #expect(try AppQueries.insert(app, in: tx))
            #expect(try AppQueries.app(app.id, in: tx) == app)
            #expect(try !AppQueries.insert(Tables.plainApp(app.id), in: tx))
            #expect(try AppQueries.app(app.id, in: tx) == app)
            #expect(try AppQueries.app(AppID("none"), in: tx) == nil)
            #expect(try AppQueries.apps(in: tx).map(\.id) == [app.id, Tables.app, Tables.otherApp])
        }
    }

    @Test("An update writes every column of one app, and takes values away again", arguments: Engine.available)
    func update(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let plain = try #require(try AppQueries.app(Tables.app, in: tx))
            #expect(plain == Tables.plainApp(Tables.app))
            try AppQueries.update(Self.fullApp(Tables.app), in: tx)
            #expect(try AppQueries.app(Tables.app, in: tx) == Self.fullApp(Tables.app))
            #expect(try AppQueries.app(Tables.otherApp, in: tx) == Tables.plainApp(Tables.otherApp))
            try AppQueries.update(plain, in: tx)
            #expect(try AppQueries.app(Tables.app, in: tx) == plain)
        }
    }

    @Test("A lock tells whether there is such an app", arguments: Engine.available)
    func lock(engine: Engine) async throws {
        try await Tables.transact(engine) { tx throws in
            #expect(try AppQueries.lock(Tables.app, in: tx))
            #expect(try !AppQueries.lock(AppID("none"), in: tx))
        }
    }

    @Test("A test device is of one app, has one note, and is deleted once", arguments: Engine.available)
    func testDevices(engine: Engine) async throws {
        let (first, second) = (KeyThumbprint("first"), KeyThumbprint(Tables.text))
        try await Tables.transact(engine) { tx in
            let add = { (key: KeyThumbprint, note: String, seconds: Int64) in
                try AppQueries.insertTestDevice(key, note: note, app: Tables.app, at: Tables.moment + seconds, in: tx)
            }
            try add(second, "b", 1)
            try add(first, "a", 0)
            try add(second, Tables.text, 2)
            let devices = try AppQueries.testDevices(of: Tables.app, in: tx)
            #expect(devices.map(\.key) == [first, second] && devices.map(\.note) == ["a", Tables.text])
            #expect(try AppQueries.isTestDevice(first, app: Tables.app, in: tx))
            #expect(try !AppQueries.isTestDevice(first, app: Tables.otherApp, in: tx))
            #expect(try !AppQueries.deleteTestDevice(first, app: Tables.otherApp, in: tx))
            #expect(try AppQueries.deleteTestDevice(first, app: Tables.app, in: tx))
            #expect(try !AppQueries.deleteTestDevice(first, app: Tables.app, in: tx))
            #expect(try AppQueries.testDevices(of: Tables.app, in: tx).map(\.key) == [second])
        }
    }
}
