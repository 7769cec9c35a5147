import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases

@testable import GatehouseCore

/// A sign-in system that players come from, and what an import has brought from it.
struct OldSystem: Sendable {
    /// It is shared, because making one takes time.
    private static let key: FakeSigningKey = {
        do { return try FakeSigningKey() } catch { preconditionFailure("\(error)") }
    }()

    static let name = "old"

    let core: TestCore

    /// Runs a test with a core that can ask the old system, with a source of a kind.
    static func open(
        _ engine: Engine = .sqlite, _ kind: LegacySourceKind = .firebase, key: ProviderToken? = nil,
        _ change: @escaping @Sendable (inout LegacySettings) -> Void = { _ in },
        _ test: @escaping @Sendable (OldSystem) async throws -> Void
    ) async throws {
        try await TestCore.open(engine) { core in
            let system = OldSystem(core: try core.restarted(fetch: answer(at: core.clock)))
            try await system.set(kind, key: key, change)
            try await test(system)
        }
    }

    /// The old system's answers, and those of the identity providers.
    static func answer(
        at clock: Clock
    ) -> @Sendable (OutgoingRequest) async throws -> OutgoingResponse {
        { request in
            let systems = FakeOldSystems(key: key, nowSeconds: { clock.now.milliseconds / 1_000 })
            let url = request.url.replacing("https://", with: "http://127.0.0.1/")
            let call = FakeProviders.Request(
                method: request.method, url: url, headers: request.headers, body: request.body ?? Data())
            guard let answer = call.flatMap({ systems.respond($0) }) else {
                return try await FakePeople.answer(request)
            }
            return OutgoingResponse(status: answer.status, body: answer.body)
        }
    }

    /// Another process on the same database.
    func restarted() throws -> OldSystem {
        OldSystem(core: try core.restarted(fetch: Self.answer(at: core.clock)))
    }

    func set(
        _ kind: LegacySourceKind = .firebase, key: ProviderToken? = nil, until: Moment? = nil,
        _ change: (inout LegacySettings) -> Void = { _ in }
    ) async throws {
        var settings = LegacySettings()
        settings.project = FakeOldSystems.project
        change(&settings)
        try await core.operator().run(
            SetLegacySource(name: Self.name, kind: kind, settings: settings, key: key, until: until))
    }

    // MARK: What an import brings

    /// Imports a member, with identities and devices.
    @discardableResult
    func add(
        _ legacyID: String, identities: [IdentityKey] = [], devices: [String] = [],
        _ change: @escaping @Sendable (inout LegacyMember) -> Void = { _ in }
    ) async throws -> UserID {
        let context = try await core.context()
        let vault = core.services.vault
        return try await core.database.transact { tx in
            let (app, moment) = (TestCore.app, context.moment)
            let user = TimeOrderedID.user(at: moment, random: .live)
            try MemberQueries.insertMember(user, app: app, on: 0, at: moment, in: tx)
            let account = try MemberRules.known(user, app: app, in: tx)
            for identity in identities {
                try MemberQueries.insertIdentity(identity, of: account, at: moment, in: tx)
            }
            var member = LegacyMember(
                source: Self.name, legacyID: legacyID, user: user, run: "run", importedAt: moment)
            change(&member)
            try LegacyQueries.insert(member, app: app, in: tx)
            let source = try LegacySourceRules.known(Self.name, app: app, in: tx)
            let key = try LegacySourceRules.secrets(of: source, app: app, vault: vault).hashKey
            for device in devices {
                try LegacyQueries.insertDevice(
                    key.hash(ofDevice: device), "deviceId", of: user, source: Self.name, app: app, in: tx)
            }
            return user
        }
    }

    func member(_ legacyID: String) async throws -> LegacyMember? {
        try await core.database.read { tx in
            try LegacyQueries.member(legacyID, source: Self.name, app: TestCore.app, in: tx)
        }
    }

    // MARK: What a device does

    func token(
        _ player: String, _ name: FakeOldSystems.Name = .firebase, claims: [String: JSONValue?] = [:]
    ) throws -> LegacyCredential {
        let systems = FakeOldSystems(
            key: Self.key, nowSeconds: { [clock = core.clock] in clock.now.milliseconds / 1_000 })
        let kinds: [FakeOldSystems.Name: LegacyCredential.Kind] = [
            .supabase: .accessToken, .unity: .accessToken, .nakama: .sessionToken,
        ]
        return LegacyCredential(
            kind: kinds[name] ?? .idToken, value: try systems.token(name, for: player, claims: claims))
    }

    /// A token of a player who has an identity of Naver there.
    func token(_ player: String, naver subject: String) throws -> LegacyCredential {
        let firebase: JSONValue = [
            "sign_in_provider": "anonymous", "identities": ["oidc.naver": [.string(subject)]],
        ]
        return try token(player, claims: ["firebase": firebase])
    }

    @discardableResult
    func migrate(
        _ credential: LegacyCredential, on device: String = "phone", replacing: Bool? = nil, once key: String? = nil,
        from address: String = "192.0.2.1"
    ) async throws -> Player {
        let device = core.device(device)
        var caller = device.caller
        caller.address = address
        let request = MigrationRequest(source: Self.name, credential: credential, replaceGuest: replacing)
        return Player(device: device, login: try await caller.run(MigratePlayer(request: request), once: key))
    }

    /// A ticket with which the game's own server may bring a device a player.
    func ticket(on device: String = "phone") async throws -> MigrationTicket {
        try await core.device(device).caller.run(IssueMigrationTicket())
    }

    /// What the game's own server says of a player.
    @discardableResult
    func confirm(
        _ legacyID: String, _ ticket: DeviceTicket, replacing: Bool? = nil, once key: String? = nil
    ) async throws -> ConfirmedMigration {
        let confirmation = MigrationConfirmation(
            source: Self.name, legacyId: legacyID, deviceTicket: ticket, replaceGuest: replacing)
        return try await core.gameServer([.migrate]).run(ConfirmMigration(request: confirmation), once: key)
    }

    /// The new members of the app's charts today, by provider.
    func newMembers() async throws -> [String: [Int64]]? {
        try await core.services.writeCounts()
        let range = NumberRange(last: 1, .day, until: core.clock.now, in: .universal)
        return try await core.operator().run(.numbers(in: range)).series[.newMember]
    }

    /// Why an exchange is refused; nil if it succeeds.
    func reason(
        _ credential: LegacyCredential, on device: String = "phone", replacing: Bool? = nil,
        from address: String = "192.0.2.1"
    ) async -> ErrorReason? {
        await refusal { try await migrate(credential, on: device, replacing: replacing, from: address) }?.reason
    }
}

extension LegacyCredential {
    static func device(_ id: String) -> LegacyCredential {
        LegacyCredential(kind: .deviceID, value: ProviderToken(id))
    }
}

extension IdentityKey {
    static func naver(_ subject: String) -> IdentityKey {
        IdentityKey(provider: .naver, namespace: "", subject: subject)
    }
}
