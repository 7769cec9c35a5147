/// A record that did not come along, or not as a whole.
package struct ConversionIncident: Equatable, Sendable {
    package enum Outcome: String, Sendable {
        /// It is no player that can come along, as its code says.
        case skipped
        /// It can't be read or used.
        case rejected
        /// It came along, without something that its code names.
        case reduced
    }

    package let outcome: Outcome
    package let file: String
    /// The line on which the record begins, from 1.
    package let line: Int
    /// The player's id, where it could be read.
    package let legacyID: String?
    package let code: String
    package let path: String
    package let message: String
}
