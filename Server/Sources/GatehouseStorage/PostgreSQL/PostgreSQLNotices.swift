import CLibPQ

/// PostgreSQL's notices. By default libpq writes them to standard error, between the lines of the log.
final class PostgreSQLNotices {
    private let take: @Sendable (_ message: String, _ isWarning: Bool) -> Void

    init(_ take: @escaping @Sendable (_ message: String, _ isWarning: Bool) -> Void) {
        self.take = take
    }

    /// The connection must not outlive this object.
    func receive(from handle: OpaquePointer) {
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context else { return }
                Unmanaged<PostgreSQLNotices>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func receive(_ result: OpaquePointer?) {
        func field(_ letter: Character) -> String {
            guard let code = letter.asciiValue, let text = PQresultErrorField(result, Int32(code)) else { return "" }
            return String(cString: text)
        }
        // Only the primary message is used, because the detail may contain values. V is the severity in English, regardless of the
        // language.
        take(field("M"), field("V") == "WARNING")
    }
}
