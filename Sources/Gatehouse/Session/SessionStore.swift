import Foundation
import GatehouseWire

/// A session as the device keeps it: one item, replaced in one step (LOGIN-5).
struct StoredSession: Codable, Sendable, Hashable {
    var refreshToken: RefreshToken
    var accessToken: AccessToken
    /// Milliseconds since 1970, by the server's clock.
    var accessTokenExpiryDate: Int64
    var member: Member
    /// The provider of the last login.
    var provider: Provider
    /// Whether the game has been told that the session is over: it is not told again with each start (BAN-6).
    var endWasTold: Bool?
}

/// A mapping without an answer. Repeating it would send the player through the provider's page again.
struct UnansweredMapping: Codable, Sendable, Hashable {
    let user: UserID
    let provider: Provider
}

/// What the SDK keeps in the device's storage. Storage that can't be read throws an error; it is never treated as empty.
struct SessionStore: Sendable {
    private enum Item {
        static let deviceKey = "device-key"
        static let session = "session"
        static let pendingLogouts = "pending-logouts"
        static let unansweredCalls = "unanswered-calls"
        static let unansweredMapping = "unanswered-mapping"
        static let loggedOutProviders = "logged-out-providers"
    }

    /// The maximum number of logouts waiting for the server. Beyond it the oldest is dropped, and its session expires by itself.
    private static let maximumPendingLogouts = 16

    let storage: any SecureStorage
    /// The hardware that keeps the device's key; nil where there is none.
    var keyHardware: KeyHardware?
    var log = Log(logger: nil)
    /// The items of which the log has said that they can't be decoded: a list is read with every call.
    private let undecodable = Locked<Set<String>>([])

    /// The device's key. The first call makes one. An existing key is never replaced, whether or not it can be read: it is a guest's
    /// account.
    func deviceKey() throws -> StoredKey {
        if let key = try existingDeviceKey() { return key }
        let key = StoredKey(in: keyHardware)
        if try storage.add(key.data, as: Item.deviceKey) { return key }
        // Another process has added one in the meantime.
        guard let key = try existingDeviceKey() else {
            throw SecureStorageError.unavailable("what was written can't be read")
        }
        return key
    }

    func existingDeviceKey() throws -> StoredKey? {
        guard let data = try storage.read(Item.deviceKey) else { return nil }
        do {
            return try StoredKey(data, in: keyHardware)
        } catch let error as SecureStorageError {
            throw error
        } catch {
            throw SecureStorageError.corrupt(Item.deviceKey)
        }
    }

    func session() throws -> StoredSession? {
        guard let data = try storage.read(Item.session) else { return nil }
        guard let session = try? JSONDecoder().decode(StoredSession.self, from: data) else {
            throw SecureStorageError.corrupt(Item.session)
        }
        return session
    }

    func save(_ session: StoredSession) throws {
        try storage.write(try JSONEncoder().encode(session), to: Item.session)
    }

    func removeSession() throws {
        try storage.remove(Item.session)
    }

    func unansweredCalls() throws -> [UnansweredCalls.Record] {
        try decoded(Item.unansweredCalls) ?? []
    }

    func save(_ calls: [UnansweredCalls.Record]) throws {
        guard !calls.isEmpty else { return try storage.remove(Item.unansweredCalls) }
        try storage.write(try JSONEncoder().encode(calls), to: Item.unansweredCalls)
    }

    func unansweredMapping() throws -> UnansweredMapping? {
        try decoded(Item.unansweredMapping)
    }

    func save(_ mapping: UnansweredMapping) throws {
        try storage.write(try JSONEncoder().encode(mapping), to: Item.unansweredMapping)
    }

    func removeUnansweredMapping() throws {
        try storage.remove(Item.unansweredMapping)
    }

    /// Providers that the player has logged out of on this device: their next page requires account and password (LOGOUT-1).
    func loggedOutProviders() throws -> Set<Provider> {
        try decoded(Item.loggedOutProviders) ?? []
    }

    func save(loggedOut providers: Set<Provider>) throws {
        guard !providers.isEmpty else { return try storage.remove(Item.loggedOutProviders) }
        let encoder = JSONEncoder()
        try storage.write(
            try encoder.encode(providers.sorted { $0.rawValue < $1.rawValue }), to: Item.loggedOutProviders)
    }

    func pendingLogouts() throws -> [RefreshToken] {
        try decoded(Item.pendingLogouts) ?? []
    }

    func addPendingLogout(_ token: RefreshToken) throws {
        try savePendingLogouts((try pendingLogouts() + [token]).suffix(Self.maximumPendingLogouts))
    }

    func removePendingLogout(_ token: RefreshToken) throws {
        try savePendingLogouts(try pendingLogouts().filter { $0 != token })
    }

    /// What a login can do without: what can't be decoded counts as not there, the next writing replaces it, and the log says so.
    private func decoded<Value: Decodable>(_ item: String) throws -> Value? {
        guard let data = try storage.read(item) else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            if undecodable.withLock({ $0.insert(item).inserted }) {
                log(.error, .storageFailed, ["operation": "read", "item": item, "error": "corrupt"])
            }
            return nil
        }
    }

    private func savePendingLogouts(_ tokens: [RefreshToken]) throws {
        if tokens.isEmpty {
            try storage.remove(Item.pendingLogouts)
        } else {
            try storage.write(try JSONEncoder().encode(tokens), to: Item.pendingLogouts)
        }
    }
}
