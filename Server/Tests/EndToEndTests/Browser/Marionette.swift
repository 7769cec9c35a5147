import Dispatch
import Foundation
import GatehouseWire

/// Firefox's own protocol: `LENGTH:JSON` over TCP, where a command is `[0, id, name, parameters]` and its answer
/// `[1, id, error, result]`.
final class Marionette: @unchecked Sendable {  // The connection and what is below are used on the queue alone.
    /// Commands wait for each other here, and not on a task's thread.
    private let queue = DispatchQueue(label: "marionette")
    private let connection: RawConnection
    private var unread: [UInt8] = []
    private var lastID: Int64 = 0

    /// - Throws: an error if nobody listens on the port, or somebody else does.
    init(port: Int) async throws {
        // The connection waits longer than a page may load, so that a page that does not come fails as such.
        connection = try RawConnection(port: port)
        let hello = try await perform { try $0.readMessage() }
        guard hello.objectValue?["marionetteProtocol"] == .integer(3) else {
            throw WebDriver.Failure(text: "not Marionette: \(hello)")
        }
    }

    /// - Returns: the result, without the object around a single value.
    func send(_ name: String, _ parameters: [String: JSONValue] = [:]) async throws -> JSONValue {
        try await perform { try $0.exchange(name, parameters) }
    }

    private func perform(_ work: @escaping @Sendable (Marionette) throws -> JSONValue) async throws -> JSONValue {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work(self) }) }
        }
    }

    private func exchange(_ name: String, _ parameters: [String: JSONValue]) throws -> JSONValue {
        lastID += 1
        let command: JSONValue = [0, .integer(lastID), .string(name), .object(parameters)]
        let text = String(decoding: try JSONEncoder().encode(command), as: UTF8.self)
        try connection.send("\(text.utf8.count):\(text)")
        let answer: JSONValue
        do {
            answer = try readMessage()
        } catch let failure as RawConnection.Failed {
            throw WebDriver.Failure(text: "no answer to \(name): \(failure)")
        }
        guard let parts = answer.arrayValue, parts.count == 4, parts[1] == .integer(lastID) else {
            throw WebDriver.Failure(text: "not the answer to \(name): \(answer)")
        }
        guard parts[2] == .null else {
            let error = parts[2].objectValue ?? [:]
            throw WebDriver.Failure(
                text: "\(name): \(error["error"]?.stringValue ?? ""): \(error["message"]?.stringValue ?? "")")
        }
        if let result = parts[3].objectValue, result.count == 1, let value = result["value"] { return value }
        return parts[3]
    }

    private func readMessage() throws -> JSONValue {
        while true {
            if let colon = unread.firstIndex(of: UInt8(ascii: ":")) {
                guard let length = Int(String(decoding: unread[..<colon], as: UTF8.self)), length >= 0 else {
                    throw WebDriver.Failure(text: "not Marionette: \(String(decoding: unread, as: UTF8.self))")
                }
                let end = colon + 1 + length
                if unread.count >= end {
                    let message = Data(unread[(colon + 1)..<end])
                    unread.removeFirst(end)
                    return try JSONDecoder().decode(JSONValue.self, from: message)
                }
            }
            let bytes = try connection.receive()
            guard !bytes.isEmpty else { throw WebDriver.Failure(text: "Firefox has ended") }
            unread += bytes
        }
    }
}
