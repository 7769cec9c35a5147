import CLibPQ
import Foundation

/// A connection to PostgreSQL, used by one thread, with its prepared statements. Calls block their thread.
final class PostgreSQLConnection: Connection {
    private static let statementLimit = 512

    private let handle: OpaquePointer
    private var statements: [String: String] = [:]
    /// A `BEGIN` that travels with the next statement, which saves a round trip.
    private var pendingBegin: String?

    init(url: String) throws {
        // The settings after the URL win over what it says: nothing here may hang for ever.
        let settings = [
            ("dbname", url), ("connect_timeout", "3"), ("client_encoding", "UTF8"), ("keepalives_idle", "10"),
            ("keepalives_interval", "3"), ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
            ("fallback_application_name", "gatehouse"),
        ]
        let keys = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { (keys + values).forEach { free($0) } }
        let keyPointers = keys.map { UnsafePointer<CChar>($0) } + [nil]
        let valuePointers = values.map { UnsafePointer<CChar>($0) } + [nil]
        guard let handle = PQconnectdbParams(keyPointers, valuePointers, 1) else {
            throw StorageError.unavailable("out of memory")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else {
            // Of libpq's message only the first line: it names host and port.
            let reason = String(cString: PQerrorMessage(handle)).split(separator: "\n").first.map(String.init) ?? ""
            throw StorageError.unavailable("PostgreSQL can't be reached: \(reason)")
        }
        try simple("SET statement_timeout = 15000")
        try simple("SET lock_timeout = 10000")
        try simple("SET idle_in_transaction_session_timeout = 30000")
        try simple("SET TIME ZONE 'UTC'")
        var synchronous: String?
        _ = try run("SHOW synchronous_commit", []) { row in
            if case .text(let value) = try row.column(0) { synchronous = value }
            return false
        }
        guard synchronous != "off" else {
            throw StorageError.unavailable("PostgreSQL has synchronous_commit=off: an acknowledged write could be lost")
        }
    }

    deinit {
        PQfinish(handle)
    }

    var isLost: Bool { PQstatus(handle) != CONNECTION_OK }

    func begin(_ text: String) {
        pendingBegin = text
    }

    /// Ends the transaction, if one has begun.
    func end(_ text: String) throws {
        if pendingBegin != nil {
            pendingBegin = nil
        } else {
            try simple(text)
        }
    }

    private func simple(_ text: String) throws {
        let result = PQexec(handle, text)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw error(result) }
        // A COMMIT of a transaction that has failed is answered with ROLLBACK, and with success.
        guard text != "COMMIT" || String(cString: PQcmdStatus(result)) == "COMMIT" else {
            throw StorageError.failed(code: "25P02", message: "the transaction had failed")
        }
    }

    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int {
        let name = try prepared(text)
        let result = try withParameters(values) { pointers, lengths, formats in
            try execute(name, count: Int32(values.count), pointers, lengths, formats)
        }
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else { throw error(result) }
        for index in 0..<PQntuples(result) {
            let column: (Int) throws -> SQLValue = { try Self.value(row: index, column: $0, of: result) }
            guard try row(Row(column: column)) else { break }
        }
        return Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    /// Sends a prepared statement, in one round trip with the pending `BEGIN` if there is one.
    private func execute(
        _ name: String, count: Int32, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
    ) throws -> OpaquePointer? {
        guard let begin = pendingBegin else {
            return PQexecPrepared(handle, name, count, values, lengths, formats, 0)
        }
        guard PQenterPipelineMode(handle) == 1 else { throw error(nil) }
        defer { _ = PQexitPipelineMode(handle) }
        guard PQsendQueryParams(handle, begin, 0, nil, nil, nil, nil, 0) == 1,
            PQsendQueryPrepared(handle, name, count, values, lengths, formats, 0) == 1, PQpipelineSync(handle) == 1
        else { throw error(nil) }
        pendingBegin = nil
        let begun = PQgetResult(handle)
        let hasBegun = PQresultStatus(begun) == PGRES_COMMAND_OK
        PQclear(begun)
        PQclear(PQgetResult(handle))
        let result = PQgetResult(handle)
        PQclear(PQgetResult(handle))
        PQclear(PQgetResult(handle))
        guard hasBegun else {
            PQclear(result)
            throw error(nil)
        }
        return result
    }

    private func prepared(_ text: String) throws -> String {
        if let name = statements[text] { return name }
        // Statements come from the source, so there are not many. The bound is for the mistake that makes it untrue.
        if statements.count >= Self.statementLimit, pendingBegin != nil {
            try simple("DEALLOCATE ALL")
            statements = [:]
        }
        let name = "s\(statements.count)"
        let result = PQprepare(handle, name, text, 0, nil)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw error(result) }
        statements[text] = name
        return name
    }

    /// Numbers and texts travel as text, bytes as they are.
    private func withParameters<Value>(
        _ values: [SQLValue], _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) throws -> Value
    ) throws -> Value {
        var storage: [UnsafeMutablePointer<CChar>] = []
        defer { storage.forEach { $0.deallocate() } }
        var pointers: [UnsafePointer<CChar>?] = []
        var lengths: [Int32] = []
        func add(_ bytes: some Collection<UInt8>) {
            let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            for (offset, byte) in bytes.enumerated() { pointer[offset] = CChar(bitPattern: byte) }
            pointer[bytes.count] = 0
            storage.append(pointer)
            pointers.append(UnsafePointer(pointer))
            lengths.append(Int32(clamping: bytes.count))
        }
        for value in values {
            switch value {
            case .null:
                pointers.append(nil)
                lengths.append(0)
            case .integer(let number): add(Array(String(number).utf8))
            case .text(let text): add(Array(text.utf8))
            case .bytes(let bytes): add(bytes)
            }
        }
        let formats = values.map { value -> Int32 in if case .bytes = value { 1 } else { 0 } }
        return try body(pointers, lengths, formats)
    }

    private static func value(row: Int32, column: Int, of result: OpaquePointer?) throws -> SQLValue {
        guard (0..<Int(PQnfields(result))).contains(column) else {
            throw StorageError.unexpectedValue(expected: "column \(column)", found: "none")
        }
        let column = Int32(column)
        if PQgetisnull(result, row, column) == 1 { return .null }
        guard let address = PQgetvalue(result, row, column) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(PQgetlength(result, row, column)))
        switch PQftype(result, column) {
        case 20, 21, 23:
            guard let number = Int64(String(decoding: bytes, as: UTF8.self)) else {
                throw StorageError.unexpectedValue(expected: "integer", found: "text")
            }
            return .integer(number)
        case 16: return .integer(bytes.first == UInt8(ascii: "t") ? 1 : 0)
        case 17: return .bytes(try unhex(bytes.dropFirst(2)))
        default: return .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func unhex(_ digits: Slice<UnsafeRawBufferPointer>) throws -> [UInt8] {
        func value(_ digit: UInt8) -> UInt8 { digit > 0x39 ? digit &- 0x57 : digit &- 0x30 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            if let first = high {
                bytes.append(value(first) << 4 | value(digit))
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    private func error(_ result: OpaquePointer?) -> StorageError {
        if isLost { return .unavailable("the connection to PostgreSQL was lost") }
        let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
        // The primary message names relations and constraints; the detail, which has the values, is left out.
        let message =
            PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
            ?? String(cString: PQerrorMessage(handle))
        switch code {
        case "53100": return .diskFull
        case "25006": return .readOnly
        case "57P01", "57P02", "57P03", "53300", "08006", "08003": return .unavailable(message)
        case _ where code.hasPrefix("23"): return .constraintViolated(message)
        default: return .failed(code: code, message: message)
        }
    }
}
