/// Why a whole import can't begin or go on.
package struct ImportFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// The app has no such source, or it is closed.
        case noSource
        /// The file comes from another system or project than the source.
        case otherSource
        /// An option names what the app does not have.
        case badOption
        /// The operator has not said whose the subjects of a provider are, or they are not those of the app's provider.
        case unasserted
        /// Too many identities of a provider have another form than theirs.
        case misfits
        /// A record has no user id that can be kept.
        case noUserIDs
        /// The app has no such run.
        case noRun
        /// The run is done or undone.
        case ended
        /// The file is another one than that with which the run has begun.
        case otherFile
        /// Another process imports players of this app.
        case busy
    }

    package let code: Code
    package let message: String

    package var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
