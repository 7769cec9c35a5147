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
