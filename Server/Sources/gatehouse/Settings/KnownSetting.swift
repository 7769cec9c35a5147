/// A setting that a configuration file may contain. One file serves all commands, so all of them know all names.
struct KnownSetting {
    let name: String
    /// What `gatehouse serve` takes without the setting, as it would be written; nil if that is nothing.
    let standard: String?
    /// Whether the value has a secret in it, so that it is never shown.
    let isSecret: Bool
    private let emptyValue: EmptyValue

    /// What an empty value is taken for.
    private enum EmptyValue {
        case refused
        /// Nobody is let in or trusted.
        case nobody
        /// An empty line of a file counts as not set, because it never did harm.
        case notSet
    }

    private init(
        _ name: String, _ standard: String? = nil, isSecret: Bool = false, empty emptyValue: EmptyValue = .refused
    ) {
        self.name = name
        self.standard = standard
        self.isSecret = isSecret
        self.emptyValue = emptyValue
    }

    static let database = "sqlite:.gatehouse/gatehouse.db"

    /// In the order of docs/settings.md. A test compares the defaults with those of a server without settings.
    static let all: [KnownSetting] = [
        .init("database", database),
        .init("create-database", "true"),
        .init("app", empty: .notSet),
        .init("key-file"),
        .init("host", "127.0.0.1"),
        .init("port", "8080"),
        .init("public-url"),
        .init("tls-certificate"),
        .init("tls-key"),
        .init("trusted-proxies", empty: .nobody),
        .init("access-token-seconds", "3600"),
        .init("session-idle-days", "90"),
        .init("session-days", "400"),
        .init("history-months", "0"),
        .init("max-connections", "10000"),
        .init("max-connections-per-address", "256"),
        .init("max-requests", "2048"),
        .init("metrics-readers", "127.0.0.0/8,::1", empty: .nobody),
        .init("console", "true"),
        .init("console-networks", "127.0.0.0/8,::1", empty: .nobody),
        .init("request-seconds", "15"),
        .init("idle-seconds", "75"),
        .init("provider-seconds", "5"),
        .init("drain-seconds", "0"),
        .init("password-cost", "14"),
        .init("allow-local-providers", "false"),
        .init("mail-server", isSecret: true),
        .init("mail-from", empty: .notSet),
        .init("log-level", "info"),
        .init("idp-port", "0"),
        .init("server", ServerAddress.standard, empty: .notSet),
        .init("storage", empty: .notSet),
    ]

    static let names = Set(all.map(\.name))
    static let mayBeEmpty = Set(all.lazy.filter { $0.emptyValue == .nobody }.map(\.name))
    static let mayBeLeftEmpty = Set(all.lazy.filter { $0.emptyValue == .notSet }.map(\.name))
}
