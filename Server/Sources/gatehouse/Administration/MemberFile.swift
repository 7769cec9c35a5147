import GatehousePlatform
import GatehouseWire

/// A file of members, with one user id on each line. Blank lines and lines that begin with # are skipped. It is read in pieces, so that
/// a long file needs no more memory.
struct MemberFile {
    /// A line that should contain a user id.
    struct Line: Sendable {
        let number: Int
        /// Nil if the line is not a user id.
        let user: UserID?
    }

    /// The maximum length of a line; the rest is read and dropped.
    private static let longestLine = 256
    private static let pieceBytes = 65_536

    private let file: OpenFile
    private var piece: ArraySlice<UInt8> = []
    private var isAtEnd = false
    private(set) var number = 0

    /// - Parameter path: `-` is standard input.
    init(_ path: String) throws {
        file = try .reading(path)
    }

    /// The next line that should contain a user id; nil at the end.
    mutating func next() throws -> Line? {
        while let bytes = try nextLine() {
            number += 1
            var text = Substring(String(decoding: bytes, as: UTF8.self))
            // Some editors begin a file with a byte order mark.
            if number == 1, text.hasPrefix("\u{feff}") { text = text.dropFirst() }
            let name = text.trimmingSpaces()
            if name.isEmpty || name.hasPrefix("#") { continue }
            return Line(number: number, user: Self.isUserID(name) ? UserID(name) : nil)
        }
        return nil
    }

    private static func isUserID(_ name: String) -> Bool {
        name.utf8.count == UserID.length && name.allSatisfy { UserID.alphabet.contains($0) }
    }

    /// The next line without its line break, cut to the maximum length; nil after the last.
    private mutating func nextLine() throws -> [UInt8]? {
        var line: [UInt8] = []
        var hasBegun = false
        while true {
            if piece.isEmpty {
                let read = try isAtEnd ? [] : file.read(atMost: Self.pieceBytes)
                guard !read.isEmpty else {
                    isAtEnd = true
                    return hasBegun ? Self.withoutReturn(line) : nil
                }
                piece = read[...]
            }
            hasBegun = true
            let end = piece.firstIndex(of: 0x0a)
            let part = piece[piece.startIndex..<(end ?? piece.endIndex)]
            line += part.prefix(Self.longestLine - line.count)
            piece = end.map { piece[piece.index(after: $0)...] } ?? []
            if end != nil { return Self.withoutReturn(line) }
        }
    }

    private static func withoutReturn(_ line: [UInt8]) -> [UInt8] { line.last == 0x0d ? line.dropLast() : line }
}
