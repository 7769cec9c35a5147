/// Encoded requests, made before the clock starts, in one block of memory.
public struct RequestList: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    public init() {}

    public var count: Int { ends.count }

    public mutating func add(_ request: [UInt8]) {
        bytes += request
        ends.append(bytes.count)
    }

    func range(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }
}

/// One HTTP/1.1 request.
public struct HTTPRequest: Sendable {
    public var method: String
    public var path: String
    public var headers: [(String, String)]
    public var body: String?

    public init(_ method: String, _ path: String, headers: [(String, String)] = [], body: String? = nil) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    public var bytes: [UInt8] {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        return Array("\(text)\r\n\(body ?? "")".utf8)
    }
}
