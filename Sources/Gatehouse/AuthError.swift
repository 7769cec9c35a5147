public import Foundation
public import GatehouseWire

/// Every failure of the SDK. Its code is one of the error table (`docs/errors.md`).
public struct AuthError: Error, Sendable, CustomStringConvertible {
    /// The code of the error table.
    public let code: ErrorCode
    /// Where it arose: in the SDK itself, or at the server.
    public let domain: String
    /// For developers.
    public let message: String
    /// The call's id in the server's log; nil when no answer came.
    public let transactionID: TransactionID?
    /// Further information.
    public let details: ErrorDetails
    /// The underlying cause, such as a library's own error.
    public let underlying: (any Error)?

    /// The domain of errors that arose in the SDK.
    public static let sdkDomain = "Gatehouse"
    /// The domain of errors that the server has answered with.
    public static let serverDomain = "GatehouseServer"

    /// Makes the value from its parts.
    public init(
        _ code: ErrorCode, message: String? = nil, domain: String = sdkDomain, transactionID: TransactionID? = nil,
        details: ErrorDetails = ErrorDetails(), underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message ?? code.row?.meaning ?? code.name
        self.domain = domain
        self.transactionID = transactionID
        self.details = details
        self.underlying = underlying
    }

    init(_ error: WireError) {
        // A game can't interpret the code of a newer server, so that code is kept in the details (ERROR-3).
        let isKnown = error.code.row != nil
        var details = error.details ?? ErrorDetails()
        if !isKnown { details.code = error.code }
        self.init(
            isKnown ? error.code : .serverUnknownError, message: error.message, domain: Self.serverDomain,
            transactionID: error.transactionId, details: details)
    }

    /// The name of the code, without its `TCGB_ERROR_` prefix.
    public var name: String { code.name }

    /// The reason as one word, if the error has one.
    public var reason: ErrorReason? { details.reason }

    /// Seconds to wait before the next try, when the server says so.
    public var retryAfterSeconds: Int64? { details.retryAfterSeconds }

    /// The ban of a banned member (LOGIN-10).
    public var ban: Ban? { details.ban }

    /// The ticket that resolves ``ErrorCode/authAddMappingAlreadyMappedToOtherMember`` (3302).
    public var forcingMappingTicket: ForcingMappingTicket? { details.forcingMappingTicket }

    /// Why the transfer is blocked (3042), and until when.
    public var transferBlock: TransferBlock? { details.transferBlock }

    /// What the member may do now, with ``ErrorCode/bannedMember`` (7) and ``ErrorCode/authNotPlayable`` (3701).
    public var standing: Standing? { details.standing }

    /// Whether the connection failed, and nothing is known of the server's state.
    public var isNetworkError: Bool { code == .socketError || code == .socketResponseTimeout }

    /// The code of the error that this one wraps: a library's own, or one of the SDK's (docs/gamebase-compatibility.md);
    /// 0 if it wraps none.
    public var detailErrorCode: Int {
        if let error = underlying as? AuthError { return error.code.rawValue }
        return (underlying as NSError?)?.code ?? 0
    }

    /// The message of the error that this one wraps.
    public var detailErrorMessage: String? {
        if let error = underlying as? AuthError { return error.message }
        if let error = underlying as? any CustomNSError { return (error as NSError).localizedDescription }
        // A library's error of Foundation's. On Apple's systems a cast would make one of every error.
        if let underlying, type(of: underlying) is NSError.Type { return underlying.localizedDescription }
        return underlying.map { "\($0)" }
    }

    /// Whether a call has succeeded: there is no error.
    public static func isSuccess(_ error: AuthError?) -> Bool { error == nil }

    /// JSON, without secrets.
    public var description: String {
        let printed = Printed(
            code: code, name: name, domain: domain, message: message, transactionId: transactionID,
            details: details == ErrorDetails() ? nil : details.withoutSecrets, underlying: underlying.map { "\($0)" })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(printed)).map { String(decoding: $0, as: UTF8.self) } ?? name
    }

    private struct Printed: Encodable {
        let code: ErrorCode
        let name: String
        let domain: String
        let message: String
        let transactionId: TransactionID?
        let details: ErrorDetails?
        let underlying: String?
    }

    /// The same failure under another code, with this one as its cause.
    func wrapped(as code: ErrorCode) -> AuthError {
        AuthError(
            code, message: message, domain: domain, transactionID: transactionID, details: details, underlying: self)
    }
}

extension ErrorDetails {
    /// A ticket's key is needed for the next call and must not appear in a log, not even in a ticket of a form that can't be read.
    fileprivate var withoutSecrets: ErrorDetails {
        let hidden = "<ForcingMappingKey>"
        var details = self
        details.forcingMappingTicket?.forcingMappingKey = ForcingMappingKey(hidden)
        details.other = other.mapValues { value in
            guard var members = value.objectValue, members["forcingMappingKey"] != nil else { return value }
            members["forcingMappingKey"] = .string(hidden)
            return .object(members)
        }
        return details
    }
}

// The numbers that ``AuthError/detailErrorCode`` has for errors of the SDK's own. Without them it would be the place of a case in its
// enumeration, which changes when a case is added. They are documented in docs/gamebase-compatibility.md and never change.

extension AdapterError: CustomNSError {
    /// `GatehouseAdapter`.
    public static var errorDomain: String { "GatehouseAdapter" }

    /// The number of ``AuthError/detailErrorCode``: 1 to 3, or the library's own.
    public var errorCode: Int {
        switch self {
        case .cancelled: 1
        case .externalLoginRequired: 2
        case .refused: 3
        case .failed(let code, _): code
        }
    }

    /// The message of ``AuthError/detailErrorMessage``.
    public var errorUserInfo: [String: Any] {
        let message =
            switch self {
            case .cancelled: "The player has closed the provider's page."
            case .externalLoginRequired: "The player has to log in at the provider outside of the game."
            case .refused(let reason): "The login was refused: \(reason.rawValue)."
            case .failed(_, let message): message
            }
        return [NSLocalizedDescriptionKey: message]
    }
}

extension TransportError: CustomNSError {
    /// `GatehouseTransport`.
    public static var errorDomain: String { "GatehouseTransport" }

    /// The number of ``AuthError/detailErrorCode``: 1 or 2.
    public var errorCode: Int {
        switch self {
        case .timedOut: 1
        case .unreachable: 2
        }
    }

    /// The message of ``AuthError/detailErrorMessage``.
    public var errorUserInfo: [String: Any] {
        let message =
            switch self {
            case .timedOut: "No answer came in time."
            case .unreachable(let message): message
            }
        return [NSLocalizedDescriptionKey: message]
    }
}

extension SecureStorageError: CustomNSError {
    /// `GatehouseStorage`.
    public static var errorDomain: String { "GatehouseStorage" }

    /// The number of ``AuthError/detailErrorCode``: 1 or 2.
    public var errorCode: Int {
        switch self {
        case .unavailable: 1
        case .corrupt: 2
        }
    }

    /// The message of ``AuthError/detailErrorMessage``.
    public var errorUserInfo: [String: Any] {
        switch self {
        case .unavailable(let message), .corrupt(let message): [NSLocalizedDescriptionKey: message]
        }
    }
}
