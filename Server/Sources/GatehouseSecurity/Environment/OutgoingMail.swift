/// An e-mail of the server to one person, as plain text.
public struct OutgoingMail: Sendable, Hashable {
    public var recipient: String
    public var subject: String
    public var text: String
    /// The part of its id before the sign. A second attempt has the same, so that a reader's program can tell that it is the same mail.
    public var id: String
    public var date: Moment

    public init(recipient: String, subject: String, text: String, id: String, date: Moment) {
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.id = id
        self.date = date
    }
}
