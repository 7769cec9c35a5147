import GatehouseCore
import GatehousePlatform
public import GatehouseSecurity
public import Logging

/// Writes one JSON object per line, to the standard error stream. Control characters are escaped, so that untrusted text can't begin a
/// new line or move a terminal's cursor (LOG-2).
public struct JSONLogHandler: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    private let label: String
    private let output: LogOutput
    private let now: @Sendable () -> Moment

    public init(label: String, level: Logger.Level, now: @escaping @Sendable () -> Moment) {
        self.init(label: label, level: level, to: .standardError, now: now)
    }

    init(label: String, level: Logger.Level, to output: LogOutput, now: @escaping @Sendable () -> Moment) {
        self.label = label
        logLevel = level
        self.output = output
        self.now = now
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var line: [UInt8] = []
        line.reserveCapacity(512)
        line += #"{"time":\#(now().milliseconds),"level":"\#(event.level.rawValue)","label":"#.utf8
        Self.append(label, to: &line)
        line += #","message":"#.utf8
        Self.append(event.message.description, to: &line)
        let own = event.metadata ?? [:]
        let all = metadata.isEmpty ? own : metadata.merging(own) { $1 }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) where key != "hb.request.id" {
            line.append(UInt8(ascii: ","))
            Self.append(key, to: &line)
            line.append(UInt8(ascii: ":"))
            Self.append(value.description, to: &line)
        }
        line += "}\n".utf8
        output.writeLine(line)
    }

    /// A line about lines that are missing before it.
    static func line(ofLost count: Int, at moment: Moment) -> [UInt8] {
        let message = "lines of the log were lost: nobody read them in time"
        let head = #"{"time":\#(moment.milliseconds),"level":"warning","label":"gatehouse""#
        return Array("\(head),\"message\":\"\(message)\",\"lines\":\"\(count)\"}\n".utf8)
    }

    static func append(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        // Almost every text is plain.
        if text.utf8.allSatisfy(isPlain) {
            line += text.utf8
        } else {
            var escaped = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": escaped += "\\\""
                case "\\": escaped += "\\\\"
                default: VisibleText.append(scalar, to: &escaped)
                }
            }
            line += escaped.utf8
        }
        line.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
