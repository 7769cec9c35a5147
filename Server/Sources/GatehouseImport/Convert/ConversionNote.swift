/// What a report says about a file as a whole.
package enum ConversionNote: String, Sendable, CaseIterable {
    /// The last line has no line break, so that the file may be cut there.
    case noLineBreakAtEnd
    /// The file names a page after it, which must be among the files.
    case pageFollows
    /// Firebase's command leaves out providers of its own accord.
    case providersLeftOut
    /// A table of the command before 15.19.0 was read, whose quotation marks may be wrong.
    case oldTable

    package var message: String {
        switch self {
        case .noLineBreakAtEnd: "it does not end with a line break and may be cut"
        case .pageFollows: "it names a page that follows: that page must be among the files, too"
        case .providersLeftOut:
            "Firebase's command leaves out oidc.*, saml.* and phone entries: the pages of accounts:batchGet have them"
        case .oldTable: "tables of Firebase's command before 15.19.0 have lost players: compare the count"
        }
    }
}
