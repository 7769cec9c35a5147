import GatehousePlatform
import GatehouseSecurity

/// What came of a delivery: a word that is stored, with the status of an answer that was none of success.
package struct AlertOutcome: Sendable, Hashable {
    package enum Word: String, Sendable, Hashable, CaseIterable {
        case sent
        /// The receiver has answered with another status than success.
        case status
        case notConnected = "not-connected"
        case notTrusted = "not-trusted"
        /// Its address is none of the internet.
        case notPublic = "not-public"
        case timedOut = "timed-out"
        case tooLarge = "too-large"
        /// The server's settings name no server for e-mail.
        case noRelay = "no-relay"
        /// Its address can't be decrypted.
        case lost
    }

    package let word: Word
    package let status: Int?

    init(_ word: Word, status: Int? = nil) {
        self.word = word
        self.status = status
    }

    init?(_ text: String) {
        let parts = text.parts(at: " ", atMost: 2)
        guard let word = parts.first.flatMap({ Word(rawValue: String($0)) }) else { return nil }
        self.init(word, status: parts.count > 1 ? Int(parts[1]) : nil)
    }

    /// The form in which it is stored.
    var text: String { status.map { "\(word.rawValue) \($0)" } ?? word.rawValue }

    init(_ failure: OutgoingFailure) {
        let word: Word =
            switch failure {
            case .notConnected: .notConnected
            case .notTrusted: .notTrusted
            case .privateAddress: .notPublic
            case .timedOut: .timedOut
            case .tooLarge: .tooLarge
            }
        self.init(word, status: nil)
    }
}
