import Foundation
import GatehouseSecurity
import Logging
import Testing

@testable import GatehouseServer

@Suite struct LogOutputTests {
    /// A pipe as a supervisor makes it.
    private final class Pipe: Sendable {
        let reading: Int32
        let writing: Int32

        init(isBlocking: Bool) throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
            if !isBlocking { try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0) }
        }

        deinit { close(reading) }

        /// Reads until the end on a thread of its own, while the output writes what it has and is closed.
        func rest(of output: LogOutput) async -> [String] {
            async let bytes = withCheckedContinuation { (continuation: CheckedContinuation<[UInt8], Never>) in
                Thread.detachNewThread { [self] in continuation.resume(returning: readToEnd()) }
            }
            while await !output.flush() {}
            while !output.close() {}
            close(writing)
            return String(decoding: await bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        private func readToEnd() -> [UInt8] {
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4_096)
            while true {
                let length = read(reading, &part, part.count)
                guard length > 0 else { return bytes }
                bytes += part[..<length]
            }
        }
    }

    private static func output(_ pipe: Pipe, capacity: Int = 1 << 24) -> LogOutput {
        LogOutput(pipe.writing, capacity: capacity) { Array("lost \($0)\n".utf8) }
    }

    /// A line of 1,024 bytes.
    private static let text = String(repeating: "x", count: 1_023)
    private static let line = Array("\(text)\n".utf8)

    @Test(
        "REL-9: a pipe that nobody reads holds up no caller, and what the queue has no room for is counted and told later"
    )
    func unread() async throws {
        let pipe = try Pipe(isBlocking: true)
        let output = Self.output(pipe, capacity: 64 * Self.line.count)
        // The pipe takes 64 KiB and the queue as much. Callers that wrote themselves would wait here for ever.
        for _ in 0..<1_000 { output.writeLine(Self.line) }
        let lost = output.lostLines
        #expect(lost > 0 && lost < 1_000)
        #expect(await !output.flush(patience: 0))

        let lines = await pipe.rest(of: output)
        #expect(output.lostLines == lost)
        #expect(lines.count { $0 == Self.text } == 1_000 - lost)
        let told = lines.filter { $0 != Self.text }.map { Int($0.dropFirst("lost ".count)) ?? .min }
        #expect(told.reduce(0, +) == lost)
    }

    @Test("A line that a pipe takes in parts is written whole", arguments: [true, false])
    func whole(isBlocking: Bool) async throws {
        let pipe = try Pipe(isBlocking: isBlocking)
        let output = Self.output(pipe)
        let long = String(repeating: "y", count: 1 << 20)
        for text in [long, Self.text] { output.writeLine(Array("\(text)\n".utf8)) }
        #expect(await pipe.rest(of: output) == [long, Self.text])
        #expect(output.lostLines == 0)
    }

    @Test("Lines are written in the order in which they were logged, also the last ones before an end")
    func order() async throws {
        let pipe = try Pipe(isBlocking: true)
        let output = Self.output(pipe)
        let handler = JSONLogHandler(label: "test", level: .info, to: output, now: { Moment(milliseconds: 7) })
        let logger = Logger(label: "test") { _ in handler }
        for number in 0..<100 { logger.info("\(number)") }
        let lines = await pipe.rest(of: output)
        let expected = (0..<100).map { #"{"time":7,"level":"info","label":"test","message":"\#($0)"}"# }
        #expect(lines == expected)
    }

    @Test("A stream that fails loses its lines, and a closed output takes none")
    func failing() async throws {
        let pipe = try Pipe(isBlocking: true)
        // This end can't be written.
        let output = LogOutput(pipe.reading) { Array("lost \($0)\n".utf8) }
        output.writeLine(Self.line)
        while !output.close() {}
        #expect(output.lostLines == 1)
        output.writeLine(Self.line)
        #expect(output.lostLines == 2)
        close(pipe.writing)
    }

    @Test("What is said about lost lines is a line of the log")
    func lossLine() throws {
        let line = JSONLogHandler.line(ofLost: 12, at: Moment(milliseconds: 7))
        #expect(line.last == UInt8(ascii: "\n"))
        let fields = try JSONDecoder().decode([String: Field].self, from: Data(line))
        #expect(fields["lines"]?.text == "12")
        #expect(fields["level"]?.text == "warning")
    }

    private struct Field: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try (try? container.decode(String.self)) ?? String(container.decode(Int64.self))
        }
    }
}
