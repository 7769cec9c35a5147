import GatehousePlatform

extension Terminal {
    /// Writes a value as a line of JSON.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line: Text = "\(String(decoding: try encoder.encode(value), as: UTF8.self))"
        try OpenFile.standardOutput.write("\(line.shown)\n".utf8)
    }
}
