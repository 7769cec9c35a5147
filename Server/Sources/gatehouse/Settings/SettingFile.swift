import GatehousePlatform

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
