import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

/// The members that a command changes: one, or those in a file.
struct MemberSelection: ParsableArguments {
    @Argument(help: "The user id.") var user: String?
    @Option(
        help: """
            A file with a user id a line instead; - is standard input. Members that are so already are passed over, so that the same \
            file can be worked off again, or on after an interruption.
            """)
    var file: String?
    @Flag(help: "With --file: only say what would happen.") var dryRun = false

    func validate() throws {
        guard (user == nil) != (file == nil) else { throw ValidationError("Give either a user id or --file.") }
        guard file != nil || !dryRun else { throw ValidationError("--dry-run goes with --file.") }
    }
}

/// Changes the members in a file, with a transaction for each, so that later failures don't undo earlier changes.
struct MemberFileRun: Sendable {
    /// The result for one member.
    enum Outcome: Sendable {
        case changed
        /// The member was already in that state.
        case passedOver
        /// Why the change is impossible.
        case failed(String)
    }

    /// A description of the change, such as "banned", and with --dry-run "would be banned".
    let change: String
    /// Whether a program reads what is reported.
    let asJSON: Bool

    /// The number of concurrent members, because databases commit concurrent changes together.
    private static let atOnce = 64
    private static let linesPerReport = 1_000

    private struct Count {
        var changed = 0
        var passedOver = 0
        var failed = 0
    }

    /// Reports each change on standard output, and progress and failures on standard error.
    ///
    /// - Throws: `ExitCode.failure` after the last line if any line was wrong. A database error is thrown at once.
    func run(_ path: String, _ each: @escaping @Sendable (UserID) async throws -> Outcome) async throws {
        var file = try MemberFile(path)
        var count = Count()
        var reported = 0
        var done = 0
        do {
            while true {
                let lines = try Self.batch(of: &file)
                guard !lines.isEmpty else { break }
                for (line, outcome) in zip(lines, try await Self.outcomes(of: lines, each)) {
                    tell(line, outcome, &count)
                    done = line.number
                }
                guard done / Self.linesPerReport > reported else { continue }
                reported = done / Self.linesPerReport
                Terminal.complain("line \(done): \(summary(count))")
            }
        } catch {
            Terminal.complain("Stopped after line \(done): \(summary(count)). The same command goes on.")
            throw error
        }
        try conclude(count)
        if count.failed > 0 { throw ExitCode.failure }
    }

    private static func batch(of file: inout MemberFile) throws -> [MemberFile.Line] {
        var lines: [MemberFile.Line] = []
        while lines.count < atOnce, let line = try file.next() { lines.append(line) }
        return lines
    }

    /// The results in the order of the lines.
    private static func outcomes(
        of lines: [MemberFile.Line], _ each: @escaping @Sendable (UserID) async throws -> Outcome
    ) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            for (index, line) in lines.enumerated() {
                group.addTask {
                    guard let user = line.user else { return (index, .failed("is no user id")) }
                    do {
                        return (index, try await each(user))
                    } catch let refusal as Refusal {
                        return (index, .failed("\(refusal)"))
                    }
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private func tell(_ line: MemberFile.Line, _ outcome: Outcome, _ count: inout Count) {
        switch outcome {
        case .changed:
            count.changed += 1
            if let user = line.user { say(user) }
        case .passedOver: count.passedOver += 1
        case .failed(let why):
            count.failed += 1
            Terminal.complain("line \(line.number): \(line.user?.rawValue ?? "it") \(why)")
        }
    }

    private func say(_ user: UserID) {
        guard asJSON else { return Terminal.say("\(user) \(change)") }
        try? Terminal.json(["userId": user.rawValue, "outcome": change])
    }

    private func conclude(_ count: Count) throws {
        guard asJSON else { return Terminal.say("\(summary(count))") }
        try Terminal.json(["changed": count.changed, "passedOver": count.passedOver, "wrong": count.failed])
    }

    private func summary(_ count: Count) -> Terminal.Text {
        "\(count.changed) \(change), \(count.passedOver) passed over, \(count.failed) wrong"
    }
}

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
