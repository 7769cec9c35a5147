import Foundation
import Testing

@testable import GatehouseServer

@Suite struct LogOutputTests {
    /// A pipe that does not block its writer, as a service manager may hand one over.
    private final class Pipe: Sendable {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
            try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        }

        deinit {
            close(reading)
            close(writing)
        }

        /// Reads so many bytes.
        func read(_ count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4_096)
            while bytes.count < count {
                let length = Foundation.read(reading, &part, min(part.count, count - bytes.count))
                guard length > 0 else { break }
                bytes += part[..<length]
            }
            return bytes
        }

        /// Reads what is there.
        func readAll() throws -> [UInt8] {
            try #require(fcntl(reading, F_SETFL, O_NONBLOCK) == 0)
            return read(.max)
        }
    }

    /// Longer than a pipe holds.
    private static let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20) + [UInt8(ascii: "\n")]

    @Test("A line that a pipe takes in parts is written whole")
    func whole() async throws {
        let pipe = try Pipe()
        let output = LogOutput(pipe.writing, patienceMilliseconds: 600_000)
        async let read = Task.detached { pipe.read(Self.line.count) }.value
        output.writeLine(Self.line)
        #expect(await read == Self.line)
        #expect(output.lostLines == 0)
    }

    @Test("A line that a full pipe does not take is counted as lost")
    func lost() throws {
        let pipe = try Pipe()
        let output = LogOutput(pipe.writing, patienceMilliseconds: 0)
        output.writeLine([UInt8(ascii: "\n")])
        #expect(output.lostLines == 0)
        output.writeLine(Self.line)
        #expect(output.lostLines == 1)
    }

    @Test("After a part of a line the next line begins on a line of its own, also if it is lost at first")
    func torn() throws {
        let pipe = try Pipe()
        let output = LogOutput(pipe.writing, patienceMilliseconds: 0)
        output.writeLine(Self.line)
        #expect(output.lostLines == 1)
        let next = Array("next\n".utf8)
        output.writeLine(next)
        #expect(output.lostLines == 2)
        // What the pipe has taken of the first line, and room for the second.
        let torn = try pipe.readAll()
        #expect(!torn.isEmpty && torn.allSatisfy { $0 == UInt8(ascii: "x") })
        for _ in 0..<2 { output.writeLine(next) }
        #expect(output.lostLines == 2)
        #expect(String(decoding: try pipe.readAll(), as: UTF8.self) == "\nnext\nnext\n")
    }
}
