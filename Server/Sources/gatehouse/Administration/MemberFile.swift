import Foundation
import GatehouseWire

/// A file of members, one user id a line. Blank lines and lines that begin with # are passed over. It is read piece by piece: how
/// long it is costs no memory.
struct MemberFile {
    /// A line that names a member, or should.
    struct Line: Sendable {
        let number: Int
        /// Nil for what is no user id.
        let user: UserID?
    }

    /// Of a line: the rest of a longer one is read and dropped.
    private static let longestLine = 256
    private static let pieceBytes = 65_536

    private let handle: FileHandle
    private var piece = Data()
    private var isAtEnd = false
    private(set) var number = 0

    /// - Parameter path: `-` is standard input.
    init(_ path: String) throws {
        if path == "-" {
            handle = .standardInput
        } else {
            guard let opened = FileHandle(forReadingAtPath: path) else {
                throw SettingError("The file \(path) can't be read.")
            }
            handle = opened
        }
    }

    /// The next line that names a member, or should; nil at the end.
    mutating func next() throws -> Line? {
        while let bytes = try nextLine() {
            number += 1
            var text = Substring(String(decoding: bytes, as: UTF8.self))
            // Some editors begin a file with a mark of its encoding.
            if number == 1, text.hasPrefix("\u{feff}") { text = text.dropFirst() }
            let name = text.trimmingCharacters(in: .whitespaces)
            if name.isEmpty || name.hasPrefix("#") { continue }
            return Line(number: number, user: Self.isUserID(name) ? UserID(name) : nil)
        }
        return nil
    }

    private static func isUserID(_ name: String) -> Bool {
        name.utf8.count == UserID.length && name.allSatisfy { UserID.alphabet.contains($0) }
    }

    /// The next line without its end, cut to its longest; nil after the last.
    private mutating func nextLine() throws -> [UInt8]? {
        var line: [UInt8] = []
        var hasBegun = false
        while true {
            if piece.isEmpty {
                guard !isAtEnd, let read = try handle.read(upToCount: Self.pieceBytes), !read.isEmpty else {
                    isAtEnd = true
                    return hasBegun ? Self.withoutReturn(line) : nil
                }
                piece = read
            }
            hasBegun = true
            let end = piece.firstIndex(of: 0x0a)
            let part = piece[piece.startIndex..<(end ?? piece.endIndex)]
            line += part.prefix(Self.longestLine - line.count)
            piece = end.map { piece[piece.index(after: $0)...] } ?? Data()
            if end != nil { return Self.withoutReturn(line) }
        }
    }

    private static func withoutReturn(_ line: [UInt8]) -> [UInt8] { line.last == 0x0d ? line.dropLast() : line }
}
