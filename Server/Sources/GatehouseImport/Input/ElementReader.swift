/// Reads the elements of a list that documents such as `{"users": [...]}` have, one by one, however long the list is. A file may have
/// several documents: pages in the order in which they came.
///
/// Elements are found by their brackets and quotation marks, and each is then parsed by itself, so that a broken one is refused alone.
struct ElementReader: RecordReader {
    /// A member by which a document without the list is a page without elements. It has no other members but the next page's.
    struct EmptyPage: Hashable {
        let name: String
        let value: String
    }

    private enum State {
        case outside
        case inDocument(isFirst: Bool)
        case inList(isFirst: Bool)
        case ended
    }

    /// The document ends where something should follow.
    private struct Cut: Error {}
    /// The document is no JSON at this place, outside of its list's elements.
    private struct Unreadable: Error {}

    private static let nameBytes = 1_024

    private var bytes: ByteReader
    private let list: String
    /// The name of the member that says where the next page is.
    private let nextPage: String
    private let emptyPage: EmptyPage?
    private var state = State.outside
    private var line = 1
    private var isFollowed = false
    /// What the document at hand has besides its list and the next page.
    private var (isMarkedEmpty, hasOthers) = (false, false)
    /// Whether the document at hand has begun its list.
    private(set) var hasList = false
    private(set) var pages = PageCount()
    let notes: [ConversionNote] = []

    init(_ bytes: ByteReader, list: String, nextPage: String, emptyPage: EmptyPage? = nil) {
        self.bytes = bytes
        self.list = list
        self.nextPage = nextPage
        self.emptyPage = emptyPage
    }

    mutating func next() throws -> FramedRecord? {
        do {
            while true {
                switch state {
                case .ended: return nil
                case .outside: try begin()
                case .inDocument(let isFirst): try member(isFirst)
                case .inList(let isFirst): if let record = try element(isFirst) { return record }
                }
            }
        } catch is Cut {
            return fail(.cut, "the file ends before its list is closed: what followed is not here")
        } catch is Unreadable {
            return fail(.unreadable, "the file is not of its form here: nothing after this place was read")
        }
    }

    private mutating func fail(_ code: RecordProblem.Code, _ message: String) -> FramedRecord {
        state = .ended
        return FramedRecord(line: line, offset: bytes.offset, content: .broken(RecordProblem(code, message)))
    }

    private mutating func begin() throws {
        switch try symbol() {
        case nil: state = .ended
        case UInt8(ascii: "{"):
            bytes.skip(1)
            (isFollowed, hasList) = (false, false)
            (isMarkedEmpty, hasOthers) = (false, false)
            state = .inDocument(isFirst: true)
        default: throw Unreadable()
        }
    }

    private mutating func member(_ isFirst: Bool) throws {
        var byte = try needed()
        if byte == UInt8(ascii: "}") {
            bytes.skip(1)
            guard hasList || isMarkedEmpty && !hasOthers else { throw Unreadable() }
            pages.add(isFollowed: isFollowed)
            state = .outside
            return
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw Unreadable() }
            bytes.skip(1)
            byte = try needed()
        }
        guard byte == UInt8(ascii: "\""), case let name = try value(atMost: Self.nameBytes).bytes else {
            throw Unreadable()
        }
        guard try needed() == UInt8(ascii: ":") else { throw Unreadable() }
        bytes.skip(1)
        let first = try needed()
        state = .inDocument(isFirst: false)
        if first == UInt8(ascii: "["), name.elementsEqual("\"\(list)\"".utf8) {
            bytes.skip(1)
            hasList = true
            state = .inList(isFirst: true)
        } else {
            let value = try value(atMost: Self.nameBytes).bytes
            guard !value.isEmpty else { throw Unreadable() }
            if name.elementsEqual("\"\(nextPage)\"".utf8) {
                isFollowed = !value.elementsEqual("null".utf8) && !value.elementsEqual("\"\"".utf8)
            } else if let emptyPage, name.elementsEqual("\"\(emptyPage.name)\"".utf8),
                value.elementsEqual("\"\(emptyPage.value)\"".utf8)
            {
                isMarkedEmpty = true
            } else {
                hasOthers = true
            }
        }
    }

    private mutating func element(_ isFirst: Bool) throws -> FramedRecord? {
        var byte = try needed()
        if byte == UInt8(ascii: "]") {
            bytes.skip(1)
            state = .inDocument(isFirst: false)
            return nil
        }
        var problem: RecordProblem?
        if !isFirst {
            if byte == UInt8(ascii: ",") {
                bytes.skip(1)
                byte = try needed()
            } else {
                problem = RecordProblem(.badJSON, "a comma is missing before it")
            }
        }
        state = .inList(isFirst: false)
        let (line, offset) = (line, bytes.offset)
        let element = try value(atMost: ImportLimits.sourceBytes)
        let content: FramedRecord.Content
        if let problem {
            content = .broken(problem)
        } else if element.isLonger {
            content = FramedRecord.tooLong
        } else if element.isCut {
            content = .broken(RecordProblem(.cut, "the file ends inside the record"))
        } else if element.bytes.isEmpty {
            content = .broken(RecordProblem(.badJSON, "a record is missing"))
        } else {
            content = FramedRecord.json(element.bytes)
        }
        if element.bytes.isEmpty, !element.isCut, byte != UInt8(ascii: ","), byte != UInt8(ascii: "]") { bytes.skip(1) }
        return FramedRecord(line: line, offset: offset, content: content)
    }

    /// The next byte that is no white space, which stays to be read.
    private mutating func symbol() throws -> UInt8? {
        while let byte = try bytes.peek() {
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return byte }
            if byte == 0x0a { line += 1 }
            bytes.skip(1)
        }
        return nil
    }

    private mutating func needed() throws -> UInt8 {
        guard let byte = try symbol() else { throw Cut() }
        return byte
    }

    /// The bytes of one value.
    ///
    /// - Parameter limit: how many bytes are kept.
    private mutating func value(atMost limit: Int) throws -> (bytes: [UInt8], isLonger: Bool, isCut: Bool) {
        var value: [UInt8] = []
        var (depth, isText, isEscaped, isLonger, hasBegun) = (0, false, false, false, false)
        while let byte = try bytes.peek() {
            var ends = false
            if isText {
                // A line break can't stand in a text: the quotation mark before it was never closed.
                if byte == 0x0a || (byte == UInt8(ascii: "\"") && !isEscaped) {
                    isText = false
                    ends = depth == 0 && byte != 0x0a
                }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else {
                switch byte {
                case UInt8(ascii: "\""): (isText, isEscaped) = (true, false)
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    guard depth > 0 else { return (value, isLonger, false) }
                    depth -= 1
                    ends = depth == 0
                case UInt8(ascii: ",") where depth == 0: return (value, isLonger, false)
                case 0x20, 0x0a, 0x0d, 0x09: if depth == 0, hasBegun { return (value, isLonger, false) }
                default: break
                }
            }
            hasBegun = true
            if byte == 0x0a { line += 1 }
            if value.count < limit { value.append(byte) } else { isLonger = true }
            bytes.skip(1)
            if ends { return (value, isLonger, false) }
        }
        return (value, isLonger, true)
    }
}
