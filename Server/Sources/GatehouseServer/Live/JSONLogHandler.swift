import Foundation
import GatehouseCore
public import GatehouseSecurity
public import Logging

/// Writes one JSON object per line to the standard error stream. Control characters are escaped, so that untrusted text can't begin a
/// new line or move a terminal's cursor (LOG-2).
public struct JSONLogHandler: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    private let label: String
    private let now: @Sendable () -> Moment

    public init(label: String, level: Logger.Level, now: @escaping @Sendable () -> Moment) {
        self.label = label
        logLevel = level
        self.now = now
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var line = #"{"time":\#(now().milliseconds),"level":"\#(event.level.rawValue)","label":"#
        Self.append(label, to: &line)
        line += #","message":"#
        Self.append(event.message.description, to: &line)
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) where key != "hb.request.id" {
            line += ","
            Self.append(key, to: &line)
            line += ":"
            Self.append("\(value)", to: &line)
        }
        line += "}\n"
        // Each line is one write, so that lines of several threads don't mix.
        var bytes = Array(line.utf8)
        _ = write(STDERR_FILENO, &bytes, bytes.count)
    }

    static func append(_ text: String, to line: inout String) {
        line += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": line += "\\\""
            case "\\": line += "\\\\"
            default: VisibleText.append(scalar, to: &line)
            }
        }
        line += "\""
    }
}
