import GatehouseJSON
import GatehousePlatform

/// What Slack's incoming webhooks take.
struct SlackMessage: Encodable {
    let text: String

    init(_ alert: AlertText) {
        text = [alert.subject, alert.text, alert.link].compactMap { $0 }.filter { !$0.isEmpty }.map(Self.escaped)
            .joined(separator: "\n")
    }

    var json: String {
        get throws { String(decoding: try JSONWriter.bytes(of: self), as: UTF8.self) }
    }

    /// Slack reads these three as marks.
    private static func escaped(_ text: String) -> String {
        text.substituting("&", by: "&amp;").substituting("<", by: "&lt;").substituting(">", by: "&gt;")
    }
}
