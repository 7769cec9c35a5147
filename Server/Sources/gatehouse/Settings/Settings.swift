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
            if file.values.isEmpty { notices.append(.emptyFile(filePath)) }
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
