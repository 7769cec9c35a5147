import Crypto
import GatehouseJSON
import GatehousePlatform

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
