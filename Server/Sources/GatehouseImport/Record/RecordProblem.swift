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
