import GatehouseJSON

/// An object of a record that is being read: each value by its name, with its type, its limits and its place.
struct RecordObject {
    let members: [(name: String, value: StrictJSON.Value)]
    let path: String

    init(_ value: StrictJSON.Value, at path: String = "") throws(RecordProblem) {
        guard case .object(let members) = value else { throw RecordProblem(.badType, at: path, "it must be an object") }
        self.members = members
        self.path = path
    }

    func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// Refuses members that the format does not have, so that a misspelt name loses nothing in silence.
    func refuseOthers(than names: [String]) throws(RecordProblem) {
        for member in members where !names.contains(where: member.name.isExactly) {
            throw RecordProblem(.unknownMember, at: path, "it has a member that the format does not have")
        }
    }

    /// A value that is present and not null.
    func value(_ name: String) -> StrictJSON.Value? {
        guard let value = members.first(where: { $0.name.isExactly(name) })?.value, value != .null else { return nil }
        return value
    }

    func need<Value>(_ value: Value?, _ name: String) throws(RecordProblem) -> Value {
        guard let value else { throw RecordProblem(.missing, at: place(name), "it is missing") }
        return value
    }

    /// A text without control characters and within its length; nil if it is absent.
    func text(_ name: String, atMost length: Int = ImportLimits.idLength) throws(RecordProblem) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else {
            throw RecordProblem(.badType, at: place(name), "it must be a text")
        }
        try Self.check(text, at: place(name), atMost: length)
        return text
    }

    static func check(_ text: String, at path: String, atMost length: Int) throws(RecordProblem) {
        guard !text.isEmpty else { throw RecordProblem(.badID, at: path, "it is empty") }
        guard text.utf8.count <= length || text.unicodeScalars.count <= length else {
            throw RecordProblem(.tooLong, at: path, "it is longer than \(length) characters")
        }
        guard !ImportLimits.hasControls(text) else {
            throw RecordProblem(.badID, at: path, "it has a control character")
        }
    }

    /// Milliseconds since 1970; nil if it is absent.
    func date(_ name: String) throws(RecordProblem) -> Int64? {
        guard let value = value(name) else { return nil }
        guard case .integer(let date) = value else {
            throw RecordProblem(.badType, at: place(name), "it must be a whole number of milliseconds since 1970")
        }
        guard (0...ImportLimits.lastDate).contains(date) else {
            throw RecordProblem(.badDate, at: place(name), "it must lie between the years 1970 and 9999")
        }
        return date
    }

    /// A list; empty if it is absent.
    func list(_ name: String, atMost limit: Int) throws(RecordProblem) -> [StrictJSON.Value] {
        guard let value = value(name) else { return [] }
        guard case .array(let elements) = value else {
            throw RecordProblem(.badType, at: place(name), "it must be a list")
        }
        guard elements.count <= limit else {
            throw RecordProblem(.tooMany, at: place(name), "it has more than \(limit) elements")
        }
        return elements
    }

    /// A list of objects with their places.
    func objects(_ name: String, atMost limit: Int) throws(RecordProblem) -> [RecordObject] {
        var objects: [RecordObject] = []
        for (index, value) in try list(name, atMost: limit).enumerated() {
            objects.append(try RecordObject(value, at: "\(place(name))[\(index)]"))
        }
        return objects
    }

    /// One word of a closed list; nil if it is absent.
    func word<Word: RawRepresentable<String>>(_ name: String, as type: Word.Type) throws(RecordProblem) -> Word? {
        guard let text = try text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw RecordProblem(.unknownValue, at: place(name), "it is none of the known words")
        }
        return word
    }
}

/// Why a record can't be taken. It never contains a value of the record, which may be a secret or personal.
package struct RecordProblem: Error, Equatable, Sendable {
    /// What is wrong, in a word for programs.
    package enum Code: String, Sendable, CaseIterable {
        /// The text is no JSON, or JSON that readers interpret differently.
        case badJSON
        /// The quotation marks of a table's row are not in pairs.
        case badQuoting
        /// A text has bytes that are not UTF-8.
        case notUTF8
        /// A row has more or fewer columns than the others.
        case columns
        /// The record, or a text in it, is longer than the limits allow.
        case tooLong
        /// A list has more elements than the limits allow.
        case tooMany
        /// The file ends inside the record or before its list is closed.
        case cut
        /// From here on, the file is not of its form.
        case unreadable
        /// A value that every record has is missing.
        case missing
        /// A value has another type.
        case badType
        /// A value is none of those that are known.
        case unknownValue
        /// A member that the format does not have.
        case unknownMember
        /// A date is before 1970, after 9999, or not readable.
        case badDate
        /// An id has a control character or is no id of its kind.
        case badID
        /// Two values contradict each other.
        case inconsistent
        /// The record belongs to another tenant of the old system.
        case otherTenant
        /// A record with the same id and other content stands before it.
        case twiceInFile
    }

    package let code: Code
    /// Where in the record, such as `identities[0].subject`.
    package let path: String
    package let message: String

    package init(_ code: Code, at path: String = "", _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }
}
