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
