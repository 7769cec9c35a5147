/// Why a request got no response.
public enum OutgoingFailure: Error, Sendable, Hashable {
    /// There is no connection: nobody listens, or the name is unknown.
    case notConnected
    /// The certificate of the connection is not trusted.
    case notTrusted
    /// The name resolves to an address that the server must not contact.
    case privateAddress
    /// The whole response took longer than it may.
    case timedOut(seconds: Int64)
    case tooLarge

    /// A description for operators.
    package var words: String {
        switch self {
        case .notConnected: "there is no connection to it"
        case .notTrusted: "its certificate leads to no authority that is trusted, or TLS fails otherwise"
        case .privateAddress: "its name leads to an address that is not the internet's"
        case .timedOut(let seconds): "its answer takes more than \(seconds) seconds"
        case .tooLarge: "its answer has more than \(OutgoingRequest.maximumBytes) bytes"
        }
    }
}
