import GatehouseWire

/// What the log is told of one call, over all its attempts.
struct CallTrace {
    private let endpoint: String
    private let log: Log
    private let milliseconds: @Sendable () -> Int64
    private let begin: Int64
    private var retries = 0
    /// The last answer.
    var response: TransportResponse?

    init(_ endpoint: String, _ log: Log, at milliseconds: @escaping @Sendable () -> Int64) {
        self.endpoint = endpoint
        self.log = log
        self.milliseconds = milliseconds
        begin = milliseconds()
    }

    /// An attempt has failed, and another one follows.
    mutating func retries(after error: AuthError) {
        retries += 1
        log(.info, .callRetried, error.logMetadata.merging(["endpoint": endpoint, "attempt": String(retries)]) { $1 })
    }

    func succeeded() { log(.debug, .callSucceeded, metadata(nil)) }

    func failed(_ error: AuthError) {
        log(error.logLevel, .callFailed, metadata(error.transactionID).merging(error.logMetadata) { $1 })
    }

    private func metadata(_ id: TransactionID?) -> [String: String?] {
        [
            "endpoint": endpoint, "status": response.map { String($0.status) },
            "milliseconds": String(milliseconds() &- begin), "retries": String(retries),
            "transactionId": (response?.transactionID ?? id?.rawValue).flatMap(Self.plain),
        ]
    }

    /// A header comes from outside: only an id of the server's form is logged.
    private static func plain(_ id: String) -> String? {
        let isPlain = id.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        return isPlain && id.utf8.count <= 64 ? id : nil
    }
}
