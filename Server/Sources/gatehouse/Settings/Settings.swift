import GatehousePlatform

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

/// The settings of one command. Flags take precedence over the environment, then the file, then the default.
struct Settings {
    private let flags: [String: String]
    private let environment: [String: String]
    private let file: [String: (value: String, line: Int)]
    private let filePath: String

    /// Every name that a configuration file may contain, because one file serves all commands.
    static let names: Set<String> = Set(ServerArguments.names).union([
        "database", "key-file", "idp-port", "app", "server", "storage",
    ])

    /// - Parameters:
    ///   - flags: by name; nil if a flag was not given.
    ///   - looksForFile: whether a configuration file at its default location is used when none is named.
    init(flags: [String: String?], environment: [String: String], looksForFile: Bool = true) throws {
        self.flags = flags.compactMapValues { $0 }
        self.environment = environment
        let named = self.flags["config"] ?? environment["GATEHOUSE_CONFIG"]
        filePath = named ?? (looksForFile ? Self.usualFile : nil) ?? ""
        file = filePath.isEmpty ? [:] : try Self.read(filePath)
    }

    /// The home directory of the user.
    static var home: String {
        ProcessInfo.processInfo.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.path
    }

    private static var usualFile: String? {
        ["\(home)/.config/gatehouse/gatehouse.conf", "/etc/gatehouse/gatehouse.conf"].first {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    static func variable(_ name: String) -> String {
        "GATEHOUSE_" + name.uppercased().replacing("-", with: "_")
    }

    private static func read(_ path: String) throws -> [String: (value: String, line: Int)] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw SettingError(
                "The configuration file \(path) can't be read: run the command as a user who may, or name another with --config."
            )
        }
        var values: [String: (value: String, line: Int)] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingSpaces()
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].trimmingSpaces()
            guard parts.count == 2, names.contains(name) else {
                throw SettingError(
                    "Line \(index + 1) of \(path) is not `name = value` with a known name. Known are: "
                        + names.sorted().joined(separator: ", ") + ".")
            }
            values[name] = (parts[1].trimmingSpaces(), index + 1)
        }
        return values
    }

    /// The value as written, and its source.
    func text(_ name: String) -> (value: String, source: SettingSource)? {
        if let value = flags[name] { return (value, .flag(name)) }
        if let value = environment[Self.variable(name)], !value.isEmpty {
            return (value, .environment(Self.variable(name)))
        }
        if let (value, line) = file[name] { return (value, .file(filePath, line: line)) }
        return nil
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
}
