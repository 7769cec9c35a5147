import Crypto
import GatehouseJSON
import GatehousePlatform

/// Reads a neutral file, record by record, and refuses one that is cut or changed. Only the last line shows that, so a caller that writes
/// what it reads must read the file to its end once before.
package struct NeutralFileReader {
    /// A record of the file. A bad one is refused by itself, and the rest of the file is read.
    package struct Record: Sendable {
        /// The line, from 1.
        package let line: Int
        package let member: Result<ImportedMember, RecordProblem>
    }

    package let header: NeutralHeader
    /// The closing line; nil before it was read.
    package private(set) var end: NeutralEnd?

    private var lines: LineReader
    private var hash = SHA256()
    private var read = NeutralEnd()
    private var hasBadRecords = false

    package init(_ input: ImportInput) throws {
        lines = LineReader(ByteReader(try input.open()), limit: ImportLimits.lineBytes)
        guard let first = try lines.next() else { throw NeutralFileFailure(.empty, line: 1, "the file is empty") }
        guard case .bytes(let bytes) = first.content, first.isEnded, let value = try? StrictJSON.parse(bytes) else {
            throw NeutralFileFailure(.badHeader, line: 1, "the first line must be a header of \(NeutralHeader.format)")
        }
        do {
            header = try NeutralHeader(value)
        } catch {
            throw NeutralFileFailure(.badHeader, line: 1, "\(error.path): \(error.message)")
        }
        hash.update(bytes)
    }

    /// The next record; nil after the closing line, when counts and digest were found right.
    package mutating func next() throws -> Record? {
        guard end == nil else { return nil }
        var long = hash
        let following = try lines.next { long.update(data: Array($0)) }
        guard let line = following else {
            throw NeutralFileFailure(.noEnd, line: lines.number, "the file ends without its closing line: it was cut")
        }
        guard case .bytes(let bytes) = line.content else {
            hash = long
            hash.update(data: [0x0a] as [UInt8])
            return refuse(
                line.number, RecordProblem(.tooLong, "the line has more than \(ImportLimits.lineBytes) bytes"))
        }
        let member = Result { () throws(RecordProblem) in try ImportedMember(line: bytes) }
        if case .failure = member, let value = try? StrictJSON.parse(bytes), value["end"] != nil {
            try close(value, line.number)
            return nil
        }
        guard line.isEnded else {
            throw NeutralFileFailure(.noEnd, line: line.number, "the file ends inside a line: it was cut")
        }
        hash.update(bytes)
        switch member {
        case .success(let record): read.add(record)
        case .failure(let problem): return refuse(line.number, problem)
        }
        return Record(line: line.number, member: member)
    }

    private mutating func refuse(_ line: Int, _ problem: RecordProblem) -> Record {
        hasBadRecords = true
        read.members += 1
        return Record(line: line, member: .failure(problem))
    }

    private mutating func close(_ value: StrictJSON.Value, _ line: Int) throws {
        let closing: NeutralEnd
        do {
            closing = try NeutralEnd(value)
        } catch {
            throw NeutralFileFailure(.badEnd, line: line, "the closing line can't be read")
        }
        guard try lines.next() == nil else {
            throw NeutralFileFailure(.afterEnd, line: line + 1, "something follows the closing line")
        }
        read.sha256 = hash.finalize().hexadecimal
        guard closing.members == read.members else {
            throw NeutralFileFailure(
                .wrongCounts, line: line,
                "the closing line counts \(closing.members) members, and the file has \(read.members)")
        }
        guard closing.sha256 == read.sha256 else {
            throw NeutralFileFailure(
                .wrongDigest, line: line,
                "the lines are not those that were written: the SHA-256 is another one. An editor that changes line breaks does that, too"
            )
        }
        guard hasBadRecords || closing == read else {
            throw NeutralFileFailure(
                .wrongCounts, line: line, "the closing line counts other identities, devices or bans than the file has")
        }
        end = closing
    }
}

extension SHA256 {
    /// Adds a line with its line break.
    fileprivate mutating func update(_ line: [UInt8]) {
        update(data: line)
        update(data: [0x0a] as [UInt8])
    }
}

/// Writes a neutral file, record by record.
package struct NeutralFileWriter {
    private static let bufferBytes = 65_536

    private let write: ([UInt8]) throws -> Void
    private var buffer: [UInt8] = []
    private var hash = SHA256()
    private var end = NeutralEnd()

    /// - Parameter write: takes the file's bytes in pieces.
    package init(_ header: NeutralHeader, to write: @escaping ([UInt8]) throws -> Void) throws {
        self.write = write
        var text = JSONBytes()
        header.write(to: &text)
        try add(text.bytes)
    }

    package mutating func write(_ member: ImportedMember) throws { try write(member, as: member.bytes) }

    /// - Parameter bytes: the record as it was encoded already.
    mutating func write(_ member: ImportedMember, as bytes: [UInt8]) throws {
        end.add(member)
        try add(bytes)
    }

    /// Writes the closing line. A file without it is refused by every reader.
    package mutating func finish() throws -> NeutralEnd {
        end.sha256 = hash.finalize().hexadecimal
        var text = JSONBytes()
        end.write(to: &text)
        buffer += text.bytes + [0x0a]
        try flush()
        return end
    }

    private mutating func add(_ line: [UInt8]) throws {
        hash.update(data: line)
        hash.update(data: [0x0a] as [UInt8])
        buffer += line
        buffer.append(0x0a)
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    private mutating func flush() throws {
        try write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Why a whole neutral file is refused.
package struct NeutralFileFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// The file has no line.
        case empty
        /// The first line is no header of this format.
        case badHeader
        /// The file ends without its closing line.
        case noEnd
        /// The closing line can't be read.
        case badEnd
        /// The closing line counts other records than the file has.
        case wrongCounts
        /// The lines before the closing line are not those that were written.
        case wrongDigest
        /// Something follows the closing line.
        case afterEnd
    }

    package let code: Code
    package let line: Int
    package let message: String

    package var description: String { "line \(line): \(message)" }

    init(_ code: Code, line: Int, _ message: String) {
        self.code = code
        self.line = line
        self.message = message
    }
}
