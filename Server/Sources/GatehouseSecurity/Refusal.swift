public import GatehouseWire

/// The refusal of a call. Every rule throws it, and every interface turns it into a response in its own form.
public struct Refusal: Error, Sendable, Hashable {
    public var code: ErrorCode
    /// A message for developers: what is wrong and what would be right. It never contains a secret or a value from the caller.
    public var message: String
    /// In a box: every call that waits has room for a refusal in its memory, and thousands may wait.
    private var box: Box
    /// The HTTP status, if the protocol requires another than the code's own.
    public var httpStatus: Int?
    /// The name of this refusal in the audit log; nil if it is not recorded.
    public var auditEvent: String?

    public init(
        _ code: ErrorCode, _ message: String? = nil, reason: ErrorReason? = nil, details: ErrorDetails = ErrorDetails(),
        httpStatus: Int? = nil, retryAfterSeconds: Int? = nil, audit auditEvent: String? = nil
    ) {
        self.code = code
        self.message = message ?? code.row?.meaning ?? code.name
        var details = details
        if let reason { details.reason = reason }
        if let retryAfterSeconds { details.retryAfterSeconds = Int64(retryAfterSeconds) }
        box = .details(details)
        self.httpStatus = httpStatus
        self.auditEvent = auditEvent
    }

    private indirect enum Box: Sendable, Hashable {
        case details(ErrorDetails)
    }

    public var details: ErrorDetails {
        get {
            switch box {
            case .details(let details): details
            }
        }
        set { box = .details(newValue) }
    }

    public var reason: ErrorReason? { details.reason }
    public var retryAfterSeconds: Int64? { details.retryAfterSeconds }
    public var status: Int { httpStatus ?? code.row?.httpStatus ?? 500 }

    /// A missing or invalid parameter.
    package static func parameter(_ name: String, _ message: String) -> Refusal {
        Refusal(.invalidParameter, message, details: ErrorDetails(parameter: name))
    }

    /// The server has as much work as it can finish in reasonable time.
    package static var overloaded: Refusal {
        Refusal(
            .serverInternalError, "The server has more work than it takes at a time.", reason: .overloaded,
            httpStatus: 503, retryAfterSeconds: 1)
    }

    /// - Parameter party: whose limit is reached, in a sentence.
    package static func tooManyRequests(retryAfterSeconds: Int, of party: String = "from this address") -> Refusal {
        Refusal(
            .serverInternalError, "Too many requests \(party).", reason: .tooManyRequests, httpStatus: 429,
            retryAfterSeconds: retryAfterSeconds, audit: "limit.reached")
    }
}

extension Refusal: CustomStringConvertible {
    public var description: String { message }
}
