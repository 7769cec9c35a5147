package import GatehousePlatform

/// A file that is read, wherever it is. It is opened when it is its turn, because an export may have a thousand pages.
package struct ImportInput {
    /// An open file.
    package struct Stream {
        /// The next bytes, at most as many as asked for; empty at the end.
        package let read: (_ limit: Int) throws -> [UInt8]
        /// Bytes from a place in the file; nil for what can only be read once, such as a pipe.
        package let readAt: ((_ offset: Int64, _ count: Int) throws -> [UInt8])?

        package init(
            read: @escaping (_ limit: Int) throws -> [UInt8],
            readAt: ((_ offset: Int64, _ count: Int) throws -> [UInt8])? = nil
        ) {
            self.read = read
            self.readAt = readAt
        }

        /// - Parameter isOnce: whether it can't be opened a second time, as standard input.
        package init(_ file: OpenFile, isOnce: Bool = false) {
            self.init(
                read: { try file.read(atMost: $0) },
                readAt: isOnce || !file.hasPlaces ? nil : { try file.read(atMost: $1, from: $0) })
        }
    }

    /// What a report calls it.
    package let name: String
    /// Whether it is the rows of the system's own tables, a line each. Then its form is known, even if there is no row.
    package let isTables: Bool
    /// Opens it at its beginning. It is called once for what can only be read once.
    package let open: () throws -> Stream

    package init(name: String, isTables: Bool = false, open: @escaping () throws -> Stream) {
        self.name = name
        self.isTables = isTables
        self.open = open
    }
}

/// Reads a file line by line in bounded memory.
struct LineReader {
    struct Line {
        enum Content {
            /// The line without its line break.
            case bytes([UInt8])
            /// The line is longer than the limit; it was read to its end.
            case tooLong
        }

        /// From 1.
        let number: Int
        /// Where the line begins in the file.
        let offset: Int64
        let content: Content
        /// Whether a line break ends it.
        let isEnded: Bool
    }

    private var bytes: ByteReader
    private let limit: Int
    /// The number of lines that were read.
    private(set) var number = 0

    init(_ bytes: ByteReader, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }

    /// - Parameter long: gets all pieces of a line that is too long.
    mutating func next(long: (ArraySlice<UInt8>) -> Void = { _ in }) throws -> Line? {
        // A byte order mark at the beginning of the file is no part of its first line.
        guard try !bytes.available().isEmpty else { return nil }
        number += 1
        let offset = bytes.offset
        var line: [UInt8] = []
        var isLong = false
        while true {
            let available = try bytes.available()
            guard !available.isEmpty else { return finish(line, isLong, at: offset, isEnded: false) }
            let end = available.firstIndex(of: 0x0a)
            let part = available[..<(end ?? available.endIndex)]
            if !isLong, line.count + part.count > limit {
                isLong = true
                long(line[...])
                line = []
            }
            if isLong { long(part) } else { line += part }
            bytes.skip(part.count + (end == nil ? 0 : 1))
            if end != nil { return finish(line, isLong, at: offset, isEnded: true) }
        }
    }

    private func finish(_ line: [UInt8], _ isLong: Bool, at offset: Int64, isEnded: Bool) -> Line {
        Line(number: number, offset: offset, content: isLong ? .tooLong : .bytes(line), isEnded: isEnded)
    }
}

/// Reads a file in pieces. A byte order mark at its beginning is left out.
struct ByteReader {
    private static let pieceBytes = 65_536
    /// The bytes by which a file's form is recognised. The first record may be as long as a record can be.
    static let startBytes = 2 * ImportLimits.sourceBytes

    private let input: ImportInput.Stream
    private var piece: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// The place in the file of ``next``.
    private(set) var offset: Int64 = 0

    init(_ input: ImportInput.Stream) { self.input = input }

    /// The bytes that are there already, after reading some if there are none; empty at the end.
    mutating func available() throws -> ArraySlice<UInt8> {
        while position >= piece.count, !isAtEnd { try fill() }
        return piece[position...]
    }

    /// The first bytes of the file, which stay to be read.
    mutating func start() throws -> [UInt8] {
        while !isAtEnd, piece.count - position < Self.startBytes { try fill() }
        return Array(piece[position...])
    }

    mutating func skip(_ count: Int) {
        position += count
        offset += Int64(count)
    }

    /// The next byte, which stays to be read; nil at the end.
    mutating func peek() throws -> UInt8? {
        // After a byte order mark, a piece may have nothing left.
        while position >= piece.count, !isAtEnd { try fill() }
        return position < piece.count ? piece[position] : nil
    }

    mutating func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        skip(1)
        return byte
    }

    /// Puts bytes back that were read last.
    mutating func putBack(_ bytes: some Collection<UInt8>) {
        piece = Array(bytes) + piece[position...]
        position = 0
        offset -= Int64(bytes.count)
    }

    private mutating func fill() throws {
        guard !isAtEnd else { return }
        let isFirst = offset == 0 && piece.isEmpty
        var more = try input.read(Self.pieceBytes)
        // A pipe may give its bytes one by one.
        while isFirst, (1..<3).contains(more.count) {
            let rest = try input.read(Self.pieceBytes)
            if rest.isEmpty { break }
            more += rest
        }
        isAtEnd = more.isEmpty
        piece = position < piece.count ? piece[position...] + more : more
        position = 0
        if isFirst, more.starts(with: [0xef, 0xbb, 0xbf]) { skip(3) }
    }
}
