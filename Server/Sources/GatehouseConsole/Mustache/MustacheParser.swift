/// Reads a template: first its text is cut into tags and what stands between them, then sections are put together.
struct MustacheParser {
    private typealias Token = MustacheTemplate.Token
    private typealias Problem = MustacheTemplate.Problem

    private enum Piece {
        case text(Substring)
        /// The tag's kind, or nil for a value, and its name.
        case tag(kind: Character?, name: String)
    }

    private var pieces: ArraySlice<Piece> = []
    private let problem: MustacheTemplate.Problem?

    init(_ text: String) {
        do throws(MustacheTemplate.Problem) {
            pieces = try Self.pieces(of: text)[...]
            problem = nil
        } catch {
            problem = error
        }
    }

    mutating func template() throws(MustacheTemplate.Problem) -> [MustacheTemplate.Token] {
        if let problem { throw problem }
        return try tokens(until: nil)
    }

    // MARK: Pieces

    private static let kinds: Set<Character> = ["#", "^", "/", ">", "<", "$", "!"]

    private static func pieces(of text: String) throws(Problem) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let begin = rest.firstRange(of: "{{") {
            var before = rest[..<begin.lowerBound]
            guard let end = rest[begin.upperBound...].firstRange(of: "}}") else { throw .unfinishedTag }
            var inside = rest[begin.upperBound..<end.lowerBound]
            let kind = inside.first.flatMap { kinds.contains($0) ? $0 : nil }
            if kind != nil { inside.removeFirst() }
            rest = rest[end.upperBound...]
            if kind != nil, isAlone(from: begin.lowerBound, to: end.upperBound, in: text) {
                before =
                    before[..<(before.lastIndex(where: \.isNewline).map(before.index(after:)) ?? before.startIndex)]
                rest = rest.drop { $0 == " " || $0 == "\t" }.dropFirst()
            }
            if !before.isEmpty { pieces.append(.text(before)) }
            guard kind != "!" else { continue }
            let name = inside.drop { $0 == " " }.prefix { $0 != " " }
            guard !name.isEmpty, name.utf8.allSatisfy({ isOfName($0) }),
                inside.filter({ $0 != " " }).count == name.count
            else { throw .notATag(String(inside)) }
            pieces.append(.tag(kind: kind, name: String(name)))
        }
        if !rest.isEmpty { pieces.append(.text(rest)) }
        return pieces
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Whether a tag has its line for itself.
    private static func isAlone(from begin: String.Index, to end: String.Index, in text: String) -> Bool {
        let before = text[..<begin].reversed().first { $0 != " " && $0 != "\t" }
        let after = text[end...].first { $0 != " " && $0 != "\t" }
        return (before?.isNewline ?? true) && (after?.isNewline ?? true)
    }

    // MARK: Tokens

    /// What stands up to the end of a section, or of the template.
    private mutating func tokens(until section: String?) throws(Problem) -> [Token] {
        var tokens: [Token] = []
        while let piece = pieces.popFirst() {
            switch piece {
            case .text(let text): tokens.append(.text(String(text)))
            case .tag(nil, let name): tokens.append(.value(path: Self.path(name)))
            case .tag("#", let name):
                tokens.append(.section(path: Self.path(name), isInverted: false, tokens: try self.tokens(until: name)))
            case .tag("^", let name):
                tokens.append(.section(path: Self.path(name), isInverted: true, tokens: try self.tokens(until: name)))
            case .tag("$", let name): tokens.append(.block(name: name, tokens: try self.tokens(until: name)))
            case .tag(">", let name): tokens.append(.partial(name: name, blocks: [:]))
            case .tag("<", let name): tokens.append(.partial(name: name, blocks: try blocks(of: name)))
            case .tag(_, let name):
                guard name == section else { throw section.map { .unfinishedSection($0) } ?? .endOfNothing(name) }
                return tokens
            }
        }
        if let section { throw .unfinishedSection(section) }
        return tokens
    }

    private mutating func blocks(of partial: String) throws(Problem) -> [String: [Token]] {
        var blocks: [String: [Token]] = [:]
        for token in try tokens(until: partial) {
            switch token {
            case .block(let name, let tokens): blocks[name] = tokens
            case .text(let text) where text.allSatisfy(\.isWhitespace): continue
            default: throw .notABlock(in: partial)
            }
        }
        return blocks
    }

    private static func path(_ name: String) -> [String] { name.split(separator: ".").map(String.init) }
}
