/// A message as its reader gets it.
package struct AlertText: Codable, Sendable, Hashable {
    /// One line: the game, and what is the matter.
    package var subject: String
    package var text: String
    /// The address of the page about it; nil if there is none.
    package var link: String?

    package init(subject: String, text: String, link: String? = nil) {
        self.subject = subject
        self.text = text
        self.link = link
    }
}
