import GatehousePlatform
import Logging

/// The source of a setting's value, for error messages.
enum SettingSource: CustomStringConvertible {
    case flag(String)
    case environment(String)
    case file(String, line: Int)

    var description: String {
        switch self {
        case .flag(let name): "the flag --\(name)"
        case .environment(let name): "the environment variable \(name)"
        case .file(let path, let line): "line \(line) of \(path)"
        }
    }
}

/// A wrong setting: which one, where it was found, and what would be right. The value itself is shown only if it can't be a secret.
struct SettingError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ name: String, _ source: SettingSource, expected: String) {
        description = "The setting \(name) is wrong (\(source)): it must be \(expected)."
    }
}

/// What the settings of a command have left out, although somebody has written it.
enum SettingNotice: Equatable, CustomStringConvertible {
    case emptyFile(String)
    case serviceLink(String)

    var description: String {
        switch self {
        case .emptyFile(let path): "the configuration file \(path) sets nothing: every setting has another source"
        case .serviceLink(let variable):
            "\(variable) is no setting, but a service link, which Kubernetes makes for a Service of this name: it is passed "
                + "over. The pod's enableServiceLinks: false ends this"
        }
    }
}

/// The settings of one command. Flags take precedence over the environment, then the file, then the default.
struct Settings {
    /// The configuration file that was read; nil if there is none.
    let filePath: String?
    let notices: [SettingNotice]
    /// The variables of the environment that begin like those of settings and belong to none, which may be misspelt.
    let unknownVariables: [String]
    private let values: [String: (value: String, source: SettingSource)]

    /// - Parameters:
    ///   - flags: by name; nil if a flag was not given.
    ///   - looksForFile: whether a configuration file at its default location is used when none is named.
    /// - Throws: ``SettingError`` if the file can't be read, or if a value is empty, torn or quoted.
    init(flags: [String: String?], environment: [String: String], looksForFile: Bool = true) throws {
        var values: [String: (value: String, source: SettingSource)] = [:]
        var notices: [SettingNotice] = []
        let names = KnownSetting.names.union(flags.keys).union(["config", "to-database"])
        for name in names.sorted() {
            let variable = Self.variable(name)
            if let flag = flags[name] ?? nil {
                let source = SettingSource.flag(name)
                values[name] = (try Self.checked(flag, name, source), source)
            } else if let text = environment[variable], !text.trimmingWhitespace().isEmpty {
                guard !Self.isServiceLink(text, name) else {
                    notices.append(.serviceLink(variable))
                    continue
                }
                let source = SettingSource.environment(variable)
                values[name] = (try Self.checked(text, name, source), source)
            }
        }
        let config = values["config"]
        filePath = config?.value ?? (looksForFile ? Self.usualFile : nil)
        if let filePath {
            let file = try SettingFile(filePath, namedBy: config?.source)
            // `config = /dev/null` says on purpose that there is no file.
            if file.values.isEmpty, filePath != "/dev/null" { notices.append(.emptyFile(filePath)) }
            for (name, line) in file.values.sorted(by: { $0.value.line < $1.value.line }) {
                if line.text.isEmpty, KnownSetting.mayBeLeftEmpty.contains(name) { continue }
                let source = SettingSource.file(filePath, line: line.line)
                let text = try Self.checked(line.text, name, source)
                if values[name] == nil { values[name] = (text, source) }
            }
        }
        let known = Set(names.map(Self.variable)).union(MasterKeyVariable.all)
        unknownVariables = environment.keys.sorted().filter {
            $0.begins(with: Self.variablePrefix) && !known.contains($0)
        }
        self.notices = notices
        self.values = values
    }

    /// The home directory of the user.
    static var home: String {
        ProcessInfo.processInfo.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.path
    }

    private static var usualFile: String? {
        ["\(home)/.config/gatehouse/gatehouse.conf", "/etc/gatehouse/gatehouse.conf"].first { path in
            // A link that leads nowhere is a file that somebody has named, and reading it says what is wrong.
            var status = stat()
            return lstat(path, &status) == 0
        }
    }

    private static let variablePrefix = "GATEHOUSE_"

    static func variable(_ name: String) -> String {
        variablePrefix + name.uppercased().replacing("-", with: "_")
    }

    /// A value as it counts: without spaces and line breaks at its ends, which a file, a shell or a secret's store has added.
    private static func checked(_ written: String, _ name: String, _ source: SettingSource) throws -> String {
        let text = written.trimmingWhitespace()
        func refuse(_ expected: String) -> SettingError { SettingError(name, source, expected: expected) }
        if text.isEmpty, !KnownSetting.mayBeEmpty.contains(name) { throw refuse("a value, and is empty") }
        guard !text.unicodeScalars.contains(where: SettingFile.isControl) else {
            throw refuse("one line of text, and there is a line break or another control character in it")
        }
        let isQuoted = ["\"", "'"].contains { text.utf8.count > 1 && text.begins(with: $0) && text.ends(with: $0) }
        guard !isQuoted else { throw refuse("written without quotation marks") }
        return text
    }

    /// Whether an environment variable is a service link, such as `tcp://10.0.0.1:80`. Kubernetes gives one, `NAME_PORT`, to each
    /// container for each Service, and a Service may be named gatehouse.
    private static func isServiceLink(_ text: String, _ name: String) -> Bool {
        ["port", "idp-port"].contains(name) && ["tcp://", "udp://", "sctp://"].contains { text.begins(with: $0) }
    }

    /// The value as written, and its source.
    func text(_ name: String) -> (value: String, source: SettingSource)? {
        values[name]
    }

    func value<Value>(
        _ name: String, default standard: Value, expected: String, _ read: (String) throws -> Value?
    ) throws -> Value {
        guard let (text, source) = text(name) else { return standard }
        guard let value = try read(text) else { throw SettingError(name, source, expected: expected) }
        return value
    }

    func number(_ name: String, default standard: Int, in range: ClosedRange<Int>) throws -> Int {
        try value(name, default: standard, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func flag(_ name: String, default standard: Bool = false) throws -> Bool {
        try value(name, default: standard, expected: "true or false") { Bool($0) }
    }

    /// Values separated by commas.
    func list(_ name: String) -> [String] {
        (text(name)?.value ?? "").split(separator: ",").map { $0.trimmingSpaces() }
    }

    /// Says which file was read, where each setting comes from, and what was passed over.
    func log(to logger: Logger) {
        for notice in notices { logger.warning("\(notice.description)") }
        let given = values.keys.sorted().compactMap { name in text(name).map { "\(name): \($0.source)" } }
        var metadata: Logger.Metadata = [
            "file": .string(filePath ?? "none"), "given": .string(given.joined(separator: ", ")),
        ]
        if !unknownVariables.isEmpty { metadata["unknown"] = .string(unknownVariables.joined(separator: ", ")) }
        logger.info("the settings are read", metadata: metadata)
    }
}

/// A configuration file: lines `name = value`, empty lines, and lines that begin with `#`. It is read by bytes, because to Swift a carriage
/// return and a line feed are one `Character`. Whatever can't be read is refused with its line, and nothing is skipped.
struct SettingFile {
    let path: String
    private(set) var values: [String: (text: String, line: Int)] = [:]

    /// - Parameter source: where the file's name was found; nil for its usual place.
    init(_ path: String, namedBy source: SettingSource?) throws {
        self.path = path
        let bytes: [UInt8]
        do {
            bytes = try NamedFile.bytes(of: path)
        } catch {
            throw SettingError(
                "The configuration file \(error) (\(source?.description ?? "its usual place")). Run the command as a user "
                    + "who may read it, or name another with --config.")
        }
        for (index, line) in Self.lines(bytes).enumerated() {
            guard let (name, text) = try Self.setting(line, at: "Line \(index + 1) of \(path)") else { continue }
            values[name] = (text, index + 1)
        }
    }

    /// The lines, which end with LF, CRLF or CR.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(where: { $0 == 0x0a || $0 == 0x0d }) {
            lines.append(rest[..<end])
            let isPair = rest[end...].starts(with: [0x0d, 0x0a])
            rest = rest[(end + (isPair ? 2 : 1))...]
        }
        return lines + [rest]
    }

    /// The setting of a line; nil if it is empty or a comment.
    private static func setting(_ bytes: ArraySlice<UInt8>, at place: String) throws -> (name: String, text: String)? {
        guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isControl)
        else { throw SettingError("\(place) is no text in UTF-8, or has a control character in it.") }
        let line = text.trimmingSpaces()
        if line.isEmpty || line.begins(with: "#") { return nil }
        let parts = line.parts(at: "=", atMost: 2, withEmpty: true)
        let name = parts[0].trimmingSpaces()
        guard parts.count == 2, KnownSetting.names.contains(name) else {
            throw SettingError(
                "\(place) is not `name = value` with a known name. Known are: "
                    + KnownSetting.names.sorted().joined(separator: ", ") + ".")
        }
        let value = parts[1].trimmingSpaces()
        guard !value.begins(with: "#"), !value.has(" #"), !value.has("\t#") else {
            throw SettingError("\(place) has a comment behind the value of \(name). A comment needs a line of its own.")
        }
        return (name, value)
    }

    /// Whether a character can't be part of a line of text.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        let isSeparator = ["\u{2028}", "\u{2029}"].contains(scalar)
        return scalar != "\t" && (scalar.properties.generalCategory == .control || isSeparator)
    }
}

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
