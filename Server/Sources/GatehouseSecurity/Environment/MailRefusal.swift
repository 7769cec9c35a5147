/// A mail server has answered with an error.
public struct MailRefusal: Error, Sendable, Hashable {
    /// The reply's code (RFC 5321), from 400 to 599.
    public let code: Int

    public init(code: Int) {
        self.code = code
    }
}
