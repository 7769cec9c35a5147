import Foundation
public import GatehouseProviders
public import GatehouseSecurity
public import GatehouseStorage
public import GatehouseWire

/// The operations of the command line, on a database that a server may be using at the same time. It calls the rules and has none of
/// its own.
public struct Administration: Sendable {
    let database: Database
    let vault: KeyVault
    let environment: ServerEnvironment
    let audit: AuditLog
    let accounts: AccountWriter
    /// The operator's name, for the ledger and the histories.
    let operatorName: String

    public init(
        database: Database, vault: KeyVault, environment: ServerEnvironment, audit: AuditLog,
        operatorName: String = "operator"
    ) async throws {
        self.database = database
        self.vault = vault
        self.environment = environment
        self.audit = audit
        self.operatorName = operatorName
        accounts = AccountWriter(
            database: database, vault: vault, random: environment.random, idempotency: Idempotency(vault: vault),
            audit: audit)
        try await database.write { tx in try KeyRules.checkVault(vault, in: tx) }
    }

    public func createApp(_ id: AppID, name: String) async throws -> SecretKey {
        try await change("app.created", id) { tx, moment in
            try AppRules.create(id, name: name, vault: vault, at: moment, random: environment.random, in: tx)
        }
    }

    public func apps() async throws -> [(id: AppID, status: LaunchingStatus, name: String)] {
        try await database.read { tx in try AppQueries.apps(in: tx) }.map { ($0.id, $0.status, $0.name) }
    }

    public func hasApp(_ id: AppID) async throws -> Bool {
        try await database.read { tx in try AppQueries.app(id, in: tx) } != nil
    }

    public func rotateSecret(of id: AppID) async throws -> SecretKey {
        try await change("app.secret-rotated", id) { tx, moment in
            try SecretRules.rotate(of: id, at: moment, random: environment.random, in: tx)
        }
    }

    public func revokeOldSecrets(of id: AppID) async throws -> Int {
        try await change("app.secrets-revoked", id) { tx, moment in
            try SecretRules.revokeOld(of: id, at: moment, in: tx)
        } changes: {
            $0 > 0
        }
    }

    /// Whether a secret key is valid.
    public func isValid(_ secret: SecretKey, of id: AppID) async throws -> Bool {
        let hash = SecretRules.hash(secret)
        return try await database.read { tx in try SecretQueries.secrets(of: id, in: tx) }.contains { $0.hash == hash }
    }

    public func rotateKey(of id: AppID, revokingOthers: Bool) async throws -> String {
        try await change(revokingOthers ? "app.keys-revoked" : "app.key-rotated", id) { tx, moment in
            try AppRules.lock(id, in: tx)
            return try KeyRules.rotate(
                app: id, revokingOthers: revokingOthers, vault: vault, at: moment, random: environment.random, in: tx)
        }
    }

    public func setStatus(_ status: LaunchingStatus, message: [String: String], of id: AppID) async throws {
        _ = try await changeApp("app.status-set", id) { app, _ in
            app.status = status
            app.statusMessage = LocalizedText(message)
        }
    }

    /// Sets the maintenance window, or removes it when `end` is nil. Without a `begin` it begins now.
    ///
    /// - Parameter reason: the reason as one word, for game servers; players read the message.
    public func setMaintenance(
        begin: Moment?, end: Moment?, message: [String: String], url: String?, reason: String? = nil, of id: AppID
    ) async throws {
        _ = try await changeApp("app.maintenance-set", id) { app, moment in
            app.maintenance = end.map {
                .init(begin: begin ?? moment, end: $0, message: LocalizedText(message), url: url, reason: reason)
            }
        }
    }

    /// Changes an app's limits, and returns the new ones.
    public func setLimits(
        of id: AppID, _ body: @escaping @Sendable (inout AppLimits) -> Void
    ) async throws -> AppLimits {
        try await changeApp("app.limits-set", id) { app, _ in body(&app.limits) }.limits
    }

    /// Sets the given limits; 0 means no limit.
    public func setLimits(newGuests: Int?, refusedProofs: Int?, of id: AppID) async throws -> AppLimits {
        try await setLimits(of: id) { limits in
            limits.newGuestsPerMinute = newGuests ?? limits.newGuestsPerMinute
            limits.refusedProofsPerMinute = refusedProofs ?? limits.refusedProofsPerMinute
        }
    }

    public func addTestDevice(_ key: KeyThumbprint, note: String, to id: AppID) async throws {
        try await change("app.test-device-added", id) { tx, moment in
            try AppRules.addTestDevice(key, note: note, to: id, at: moment, in: tx)
        }
    }

    public func removeTestDevice(_ key: KeyThumbprint, from id: AppID) async throws {
        try await change("app.test-device-removed", id) { tx, _ in
            try AppRules.removeTestDevice(key, from: id, in: tx)
        }
    }

    public func testDevices(of id: AppID) async throws -> [(key: KeyThumbprint, note: String)] {
        try await database.read { tx in try AppQueries.testDevices(of: id, in: tx) }
    }

    public func accountPolicy(of id: AppID) async throws -> AccountPolicy {
        try await database.read { tx in
            guard let app = try AppQueries.app(id, in: tx) else { throw AppRules.unknownApp }
            return app.policy
        }
    }

    /// Changes the policy of an app's accounts, and returns the new policy.
    public func setAccountPolicy(
        of id: AppID, _ body: @escaping @Sendable (inout AccountPolicy) throws -> Void
    ) async throws -> AccountPolicy {
        try await changeApp("app.account-policy-set", id) { app, _ in try body(&app.policy) }.policy
    }

    public func setIdentityProvider(
        _ provider: Provider, _ configuration: ProviderConfiguration, secrets: ProviderSecrets? = nil,
        samePersons: Bool = false, of id: AppID
    ) async throws {
        try await change("app.idp-set", id, ["idp": provider.rawValue]) { tx, moment in
            try IdentityProviderRules.set(
                provider, configuration, secrets: secrets, samePersons: samePersons, app: id, vault: vault, at: moment,
                random: environment.random, in: tx)
        }
    }

    /// Sets an identity provider from JSON, in the format of files and `FakeProviders`.
    public func setIdentityProvider(
        _ provider: Provider, settings: JSONValue, secrets: JSONValue? = nil, samePersons: Bool = false, of id: AppID
    ) async throws {
        func read<Value: Decodable>(_ json: JSONValue, _ name: String) throws -> Value {
            do {
                return try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(json))
            } catch {
                throw Refusal.parameter(name, "The \(name) are not of the form that docs/providers.md has.")
            }
        }
        try ProviderSettingsNames.check(settings)
        try await setIdentityProvider(
            provider, read(settings, "settings"), secrets: secrets.map { try read($0, "secrets") },
            samePersons: samePersons, of: id)
    }

    public func disableIdentityProvider(_ provider: Provider, of id: AppID) async throws {
        _ = try await change("app.idp-disabled", id, ["idp": provider.rawValue]) { tx, _ in
            try IdentityProviderRules.disable(provider, app: id, in: tx)
        } changes: {
            $0
        }
    }

    public func identityProviders(of id: AppID) async throws -> [Provider: ProviderConfiguration] {
        try await database.read { tx in
            guard let app = try AppQueries.app(id, in: tx) else { throw AppRules.unknownApp }
            return app.providers
        }
    }

    /// Changes an app, and returns the new version. A change without effect is not recorded.
    private func changeApp(
        _ event: String, _ id: AppID, _ body: @escaping @Sendable (inout App, Moment) throws -> Void
    ) async throws -> App {
        try await change(event, id) { tx, moment in
            var before: App?
            let after = try AppRules.change(id, in: tx) { app in
                before = app
                try body(&app, moment)
            }
            return (app: after, isChanged: after != before)
        } changes: {
            $0.isChanged
        }.app
    }

    /// Changes an app, and records it in the audit log.
    ///
    /// - Parameter details: ids and names of what is changed.
    /// - Parameter changes: whether the value shows that something has changed. Only then is it recorded.
    func change<Value: Sendable>(
        _ event: String, _ id: AppID, _ details: [String: String] = [:],
        _ body: @escaping @Sendable (Transaction, Moment) throws -> Value,
        changes: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) async throws -> Value {
        let moment = environment.now()
        let origin = Origin(actor: .operator, door: .command, name: operatorName)
        let value = try await database.write { tx in
            let value = try body(tx, moment)
            guard changes(value) else { return value }
            try AuditRules.append(
                event, app: id, details, by: origin, at: moment, random: environment.random, in: tx)
            return value
        }
        guard changes(value) else { return value }
        audit.record(
            .init(
                event: event, app: id, actor: .operator, address: nil, transactionID: nil,
                subject: details.merging(["by": operatorName]) { $1 }))
        return value
    }

    /// The server's time.
    public var now: Moment { environment.now() }
}
