import Foundation
import GatehouseStorage
import TestDatabases

/// The tables of a system that players come from, filled with samples, and the lines that the documented SELECT makes of them.
protocol OldTables: Sendable {
    /// The `--kind`.
    static var kind: String { get }
    static var create: [String] { get }
    static var samples: [Self] { get }

    /// The line of a file; nil for a row that is no player.
    var line: String? { get }
    func insert(in tx: Transaction) throws
}

extension OldTables {
    /// Runs a test with a database that has the tables.
    static func withTables(filled: Bool = true, _ test: (_ url: String, Database) async throws -> Void) async throws {
        try await withDatabaseURL(.postgresql) { url in
            try await withOpen(DatabaseLocation(url)) { database in
                try await database.transact { tx in
                    for statement in create { try tx.execute(SQL(stringLiteral: statement)) }
                    // The order in a table is not that of the ids.
                    if filled { for sample in samples.reversed() { try sample.insert(in: tx) } }
                }
                try await test(url, database)
                // The next test of this database finds only its own schema emptied.
                try await database.transact { tx in try tx.execute("DROP SCHEMA IF EXISTS auth CASCADE") }
            }
        }
    }

    static var lines: Data { Data(samples.compactMap(\.line).map { "\($0)\n" }.joined().utf8) }

    static func object(_ members: [(String, String?)]) -> String {
        "{\(members.compactMap { name, value in value.map { "\(quoted(name)):\($0)" } }.joined(separator: ","))}"
    }

    static func quoted(_ text: String) -> String {
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
    }
}

/// The last day that can be read, which an infinite time becomes.
private let lastDay: Int64 = 253_402_128_000_000

/// A time of the tables, in milliseconds since 1970, or none, or infinite.
enum OldTime: Sendable {
    case at(Int64), infinite

    var milliseconds: Int64 {
        switch self {
        case .at(let date): date
        case .infinite: lastDay
        }
    }

    /// The milliseconds after the whole second.
    private var fraction: Int64 { ((milliseconds % 1_000) + 1_000) % 1_000 }

    var text: String {
        switch self {
        case .at(let date):
            // A fraction of a Double would be rounded.
            Date(timeIntervalSince1970: Double(date - fraction) / 1_000).formatted(.iso8601).dropLast()
                + String(format: ".%03dZ", fraction)
        case .infinite: "infinity"
        }
    }
}

/// A user of Nakama.
struct NakamaUser: OldTables {
    static let kind = "nakama"
    static let create = [
        """
        CREATE TABLE users (
            id UUID PRIMARY KEY, username VARCHAR(128) NOT NULL UNIQUE, display_name VARCHAR(255),
            metadata JSONB NOT NULL DEFAULT '{}', wallet JSONB NOT NULL DEFAULT '{}', email VARCHAR(255) UNIQUE,
            password BYTEA, facebook_id VARCHAR(128) UNIQUE, google_id VARCHAR(128) UNIQUE,
            gamecenter_id VARCHAR(128) UNIQUE, steam_id VARCHAR(128) UNIQUE, custom_id VARCHAR(128) UNIQUE,
            facebook_instant_game_id VARCHAR(128) UNIQUE, apple_id VARCHAR(128) UNIQUE,
            create_time TIMESTAMPTZ NOT NULL, update_time TIMESTAMPTZ NOT NULL,
            verify_time TIMESTAMPTZ NOT NULL DEFAULT 'epoch', disable_time TIMESTAMPTZ NOT NULL DEFAULT 'epoch')
        """,
        "CREATE TABLE user_device (id VARCHAR(128) PRIMARY KEY, user_id UUID NOT NULL REFERENCES users)",
        "CREATE TABLE user_tombstone (user_id UUID PRIMARY KEY, create_time TIMESTAMPTZ NOT NULL)",
        // Nakama's own user, which is no player.
        """
        INSERT INTO users (id, username, create_time, update_time)
        VALUES ('00000000-0000-0000-0000-000000000000', '', 'epoch', 'epoch')
        """,
    ]

    let number: Int
    /// The ids by their names in the lines.
    var ids: [String: String] = [:]
    var devices: [String] = []
    var email: String?
    var hasPassword = false
    var metadata: String?
    var disabled: OldTime?
    var username: String?

    static let samples: [NakamaUser] = [
        NakamaUser(number: 1, devices: ["device-a-0001", "device-b-0001", "device-c-0001"]),
        NakamaUser(
            number: 2, ids: ["google": "113456789012345678901"], metadata: #"{"level": 7}"#,
            disabled: .at(1_770_091_506_789)),
        NakamaUser(number: 3, ids: ["google": "g02468013579246801357"]),
        NakamaUser(
            number: 4,
            ids: [
                "apple": "000123.abcdef0123456789abcdef0123456789.0456", "facebook": "10150000000000001",
                "facebookInstant": "1234", "gameCenter": "G:1234567890", "steam": "76561190000000000",
                "custom": "custom-0004",
            ], devices: ["device-a-0004"]),
        NakamaUser(number: 5, email: "only@mail.example", hasPassword: true),
        // What has no place in the record is too large for its line, and then for any record.
        NakamaUser(
            number: 6, devices: ["device-a-0006"], metadata: "{\"m\": \"\(String(repeating: "x", count: 65_536))\"}"),
        NakamaUser(number: 7, metadata: "{\"m\": \"\(String(repeating: "가", count: 100_000))\"}"),
        NakamaUser(number: 8, ids: ["custom": "line\nbreak-0008"]),
        NakamaUser(
            number: 9, devices: ["\u{202e}👨‍👩‍👧 e\u{301} 가 \"q\" \\ / '; -- \u{2028}\u{ffff}"],
            metadata: "{\"k\\n\\t\": \"\u{fdfd}\u{10ffff} \\u2028\\\\\"}", username: "\u{200f}ﷺ\u{feff}\t%s"),
        NakamaUser(number: 10, devices: ["device-a-0010"], disabled: .infinite),
        NakamaUser(number: 11, devices: ["device-a-0011"], metadata: #"{"n": 12345678901234567890}"#),
        NakamaUser(number: 12, devices: (100..<165).map { "device-\($0)-0012" }),
        NakamaUser(
            number: 13,
            metadata: "{\"deep\": \(String(repeating: "[", count: 20))\(String(repeating: "]", count: 20))}"),
        NakamaUser(number: 14, ids: ["custom": String(repeating: "ü", count: 128)]),
    ]

    private var id: String { "\(String(format: "%08d", number))-0000-4000-8000-000000000000" }
    private var name: String { username ?? "name\(number)" }
    private var created: OldTime { .at(1_700_000_000_000 + Int64(number) * 86_400_001) }

    func insert(in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO users (
                id, username, metadata, email, password, facebook_id, google_id, gamecenter_id, steam_id, custom_id,
                facebook_instant_game_id, apple_id, create_time, update_time, disable_time)
            VALUES (CAST(\(id) AS UUID), \(name), CAST(\(metadata ?? "{}") AS JSONB), \(email),
                CAST(\(hasPassword ? "$2a$10$made-up" : nil) AS BYTEA), \(ids["facebook"]), \(ids["google"]),
                \(ids["gameCenter"]), \(ids["steam"]), \(ids["custom"]), \(ids["facebookInstant"]), \(ids["apple"]),
                CAST(\(created.text) AS TIMESTAMPTZ), CAST(\(created.text) AS TIMESTAMPTZ),
                CAST(\(disabled?.text ?? "epoch") AS TIMESTAMPTZ))
            """)
        for device in devices {
            try tx.execute("INSERT INTO user_device VALUES (\(device), CAST(\(id) AS UUID))")
        }
    }

    var line: String? {
        Self.object(
            [
                ("id", Self.quoted(id)), ("username", Self.quoted(name)), ("createMs", "\(created.milliseconds)"),
                ("updateMs", "\(created.milliseconds)"), ("disableMs", disabled.map { "\($0.milliseconds)" }),
                ("email", email.map(Self.quoted)), ("hasPassword", "\(hasPassword)"), ("metadata", metadata),
                ("devices", devices.isEmpty ? nil : "[\(devices.map(Self.quoted).joined(separator: ","))]"),
            ] + ids.map { ($0, Self.quoted($1)) })
    }
}

/// A user of Supabase Auth.
struct SupabaseUser: OldTables {
    struct Identity: Sendable {
        let provider: String
        let subject: String
        var issuer: String?
    }

    static let kind = "supabase"
    static let create = [
        "CREATE SCHEMA auth",
        """
        CREATE TABLE auth.users (
            id UUID PRIMARY KEY, email TEXT, phone TEXT UNIQUE, encrypted_password TEXT,
            is_anonymous BOOLEAN NOT NULL DEFAULT FALSE, is_sso_user BOOLEAN NOT NULL DEFAULT FALSE,
            banned_until TIMESTAMPTZ, deleted_at TIMESTAMPTZ, last_sign_in_at TIMESTAMPTZ, created_at TIMESTAMPTZ,
            updated_at TIMESTAMPTZ, raw_app_meta_data JSONB, raw_user_meta_data JSONB, instance_id UUID, aud VARCHAR(255),
            role VARCHAR(255), confirmation_token VARCHAR(255), recovery_token VARCHAR(255), email_change VARCHAR(255),
            email_change_token_new VARCHAR(255))
        """,
        """
        CREATE TABLE auth.identities (
            provider TEXT NOT NULL, provider_id TEXT NOT NULL, user_id UUID NOT NULL REFERENCES auth.users,
            identity_data JSONB NOT NULL, created_at TIMESTAMPTZ, last_sign_in_at TIMESTAMPTZ, updated_at TIMESTAMPTZ,
            id UUID PRIMARY KEY DEFAULT gen_random_uuid(), UNIQUE (provider_id, provider))
        """,
    ]

    let number: Int
    var isAnonymous = false
    var isSSO = false
    /// In the order of providers and subjects.
    var identities: [Identity] = []
    var email: String?
    var banned: OldTime?
    var deleted: OldTime?
    var lastSignIn: OldTime?
    var isOld = false

    static let samples: [SupabaseUser] = [
        SupabaseUser(number: 1, isAnonymous: true, lastSignIn: .at(1_767_225_600_001)),
        SupabaseUser(
            number: 2,
            identities: [
                Identity(provider: "email", subject: "two@mail.example"),
                Identity(
                    provider: "google", subject: "113456789012345678901", issuer: "https://accounts.google.com"),
            ], email: "two@mail.example", lastSignIn: .at(1_767_225_600_999)),
        // One player with two identities of a provider.
        SupabaseUser(
            number: 3,
            identities: [
                Identity(provider: "google", subject: "203456789012345678901"),
                Identity(provider: "google", subject: "303456789012345678901"),
            ]),
        SupabaseUser(
            number: 4,
            identities: [
                Identity(provider: "apple", subject: "000123.abcdef0123456789abcdef0123456789.0456")
            ], banned: .at(1_790_000_000_123)),
        SupabaseUser(number: 5, isAnonymous: true, banned: .infinite),
        SupabaseUser(number: 6, isAnonymous: true, deleted: .at(1_760_000_000_000)),
        SupabaseUser(
            number: 7,
            identities: [
                Identity(provider: "custom:studio", subject: "s-7", issuer: "https://id.studio.example/ü?\u{202e}")
            ]),
        SupabaseUser(number: 8, identities: [Identity(provider: "phone", subject: "+821000000008")]),
        SupabaseUser(
            number: 9,
            identities: [
                Identity(provider: "custom:odd", subject: "👨‍👩‍👧 e\u{301} \"q\" \\ '; -- \u{2028}\u{ffff}")
            ]),
        SupabaseUser(number: 10, identities: [Identity(provider: "custom:odd", subject: "line\nbreak")]),
        SupabaseUser(
            number: 11, isSSO: true, identities: [Identity(provider: "sso:1234", subject: "eleven")], isOld: true),
        // A ban that was over before 1970 is none, and neither is one of now.
        SupabaseUser(number: 12, isAnonymous: true, banned: .at(-1_000)),
    ]

    private var id: String { "\(String(format: "%08d", number))-0000-4000-8000-000000000000" }
    private var created: OldTime? { isOld ? nil : .at(1_700_000_000_000 + Int64(number) * 86_400_001) }

    func insert(in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO auth.users (
                id, email, is_anonymous, is_sso_user, banned_until, deleted_at, last_sign_in_at, created_at,
                raw_app_meta_data, raw_user_meta_data)
            VALUES (CAST(\(id) AS UUID), \(email), CAST(\(isAnonymous) AS BOOLEAN), CAST(\(isSSO) AS BOOLEAN),
                CAST(\(banned?.text) AS TIMESTAMPTZ), CAST(\(deleted?.text) AS TIMESTAMPTZ),
                CAST(\(lastSignIn?.text) AS TIMESTAMPTZ), CAST(\(created?.text) AS TIMESTAMPTZ), '{}', '{"name": "N"}')
            """)
        for identity in identities {
            let data = Self.object([
                ("sub", Self.quoted(identity.subject)), ("iss", identity.issuer.map(Self.quoted)),
            ])
            try tx.execute(
                """
                INSERT INTO auth.identities
                VALUES (\(identity.provider), \(identity.subject), CAST(\(id) AS UUID), CAST(\(data) AS JSONB),
                    CAST(\(created?.text) AS TIMESTAMPTZ), NULL)
                """)
        }
    }

    var line: String? {
        let created = created.map { "\($0.milliseconds)" }
        let list = identities.map { identity in
            Self.object([
                ("provider", Self.quoted(identity.provider)), ("subject", Self.quoted(identity.subject)),
                ("iss", identity.issuer.map(Self.quoted)), ("createdMs", created),
            ])
        }
        return Self.object([
            ("id", Self.quoted(id)), ("anonymous", "\(isAnonymous)"), ("createdMs", created),
            ("lastSignInMs", lastSignIn.map { "\($0.milliseconds)" }),
            ("bannedUntilMs", banned.flatMap { $0.milliseconds > 0 ? "\($0.milliseconds)" : nil }),
            ("deletedMs", deleted.map { "\($0.milliseconds)" }), ("sso", isSSO ? "true" : nil),
            ("identities", list.isEmpty ? nil : "[\(list.joined(separator: ","))]"),
        ])
    }
}
