public import Foundation

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
