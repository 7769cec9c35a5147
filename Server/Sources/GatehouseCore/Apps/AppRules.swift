import Crypto
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// An operator's operations on apps.
enum AppRules {
    static let idPattern = "1 to 32 letters, digits, - or _"

    static func isID(_ id: AppID) -> Bool {
        (1...32).contains(id.rawValue.utf8.count)
            && id.rawValue.utf8.allSatisfy { byte in
                ASCII.isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    /// An id as somebody has typed it. One with which no app can be is none, so that nothing of it reaches the database or an address.
    static func id(typed text: String) -> AppID {
        let id = AppID(text)
        return isID(id) ? id : AppID("")
    }

    /// What operators read of an app. A text of bytes is measured before its letters are counted, because it comes from outside.
    static func isName(_ name: String) -> Bool {
        name.utf8.count <= nameBytes && (1...100).contains(name.count) && !name.trimmingWhitespace().isEmpty
            && !name.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
    }

    static let nameBytes = 1_000

    /// Creates an app with its first secret key and its first signing key. The secret is returned only here.
    static func create(
        _ id: AppID, name: String, vault: KeyVault, at moment: Moment, random: RandomSource, in tx: Transaction
    ) throws -> (app: App, secret: SecretKey) {
        guard isID(id) else { throw Refusal.parameter("appId", "An app id has \(idPattern).") }
        guard isName(name) else {
            throw Refusal.parameter("name", "An app's name has 1 to 100 characters, and no control characters.")
        }
        let app = App(
            id: id, name: name, status: .inService, statusMessage: LocalizedText(), maintenance: nil,
            defaultLanguage: "en", limits: .init(), createdAt: moment)
        guard try AppQueries.insert(app, in: tx) else {
            throw Refusal.parameter("appId", "There is an app with this id.")
        }
        _ = try KeyRules.create(app: id, activeAt: moment, vault: vault, at: moment, random: random, in: tx)
        return (app, try SecretRules.insert(name: nil, scopes: nil, app: id, at: moment, random: random, in: tx))
    }

    /// Locks the app's row, so that changes of one app are serialised.
    static func lock(_ id: AppID, in tx: Transaction) throws {
        guard try AppQueries.lock(id, in: tx) else { throw unknownApp }
    }

    /// Changes an app under its lock.
    static func change(_ id: AppID, in tx: Transaction, _ change: (inout App) throws -> Void) throws -> App {
        guard try AppQueries.lock(id, in: tx), var app = try AppQueries.app(id, in: tx) else { throw unknownApp }
        try change(&app)
        if let maintenance = app.maintenance, maintenance.begin >= maintenance.end {
            throw Refusal.parameter("end", "Maintenance must end after it begins.")
        }
        try app.limits.check()
        guard LocalizedText.isLanguage(app.defaultLanguage) else {
            throw Refusal.parameter("defaultLanguage", "A language is a tag such as en or zh-Hant.")
        }
        try app.policy.check()
        try AppQueries.update(app, in: tx)
        return app
    }

    static func addTestDevice(
        _ key: KeyThumbprint, note: String, to id: AppID, at moment: Moment, in tx: Transaction
    ) throws {
        try lock(id, in: tx)
        guard Base64URL.decode(key.rawValue)?.count == 32 else {
            throw Refusal.parameter("device", "A device is named by its key's thumbprint: 43 letters of base64url.")
        }
        try AppQueries.insertTestDevice(key, note: note, app: id, at: moment, in: tx)
    }

    static func removeTestDevice(_ key: KeyThumbprint, from id: AppID, in tx: Transaction) throws {
        guard try AppQueries.deleteTestDevice(key, app: id, in: tx) else {
            throw Refusal.parameter("device", "The app has no such test device.")
        }
    }

    static let unknownApp = Refusal(.launchingUnregisteredApp)
}

extension Work {
    /// Changes the app, and returns the new version. A change without effect is not recorded.
    @discardableResult
    func changeApp(
        _ event: AppEvent, _ body: @escaping @Sendable (inout App, Moment) throws -> Void
    ) async throws -> App {
        try await transact { change, tx in
            var before: App?
            let after = try AppRules.change(change.app.id, in: tx) { app in
                before = app
                try body(&app, change.moment)
            }
            if let before, after != before { try change.record(event, in: tx) }
            return after
        }
    }
}
