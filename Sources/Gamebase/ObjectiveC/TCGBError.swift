public import Foundation
import Gatehouse
import GatehouseWire

/// Every failure that a game receives. Its code is one of ``TCGBErrorCode``.
#if canImport(ObjectiveC)
@objc(TCGBError) @objcMembers
#endif
public final class TCGBError: NSError, @unchecked Sendable {  // Like NSError it is immutable.
    /// The SDK's error; nil for one that a game has made itself.
    let cause: AuthError?
    /// The app whose call has failed.
    let appID: String?

    init(_ cause: AuthError, appID: String? = nil) {
        self.cause = cause
        self.appID = appID
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: cause.message]
        if let id = cause.transactionID { userInfo[TCGBErrorUserInfoTransactionId] = id.rawValue }
        if let underlying = cause.underlying { userInfo[NSUnderlyingErrorKey] = Self.underlying(underlying, appID) }
        super.init(domain: TCGBDomainGamebase, code: cause.code.rawValue, userInfo: userInfo)
    }

    private init(domain: String, code: Int, message: String?, userInfo: [String: Any]) {
        cause = nil
        appID = nil
        var userInfo = userInfo
        let name = ErrorCode(rawValue: code).row?.meaning
        if userInfo[NSLocalizedDescriptionKey] == nil { userInfo[NSLocalizedDescriptionKey] = message ?? name ?? "" }
        super.init(domain: domain, code: code, userInfo: userInfo)
    }

    /// Always nil: an error can't be read from an archive.
    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }

    /// A library's own error keeps its code and message (ERROR-2).
    private static func underlying(_ error: any Error, _ appID: String?) -> NSError {
        switch error {
        case let error as AuthError: TCGBError(error, appID: appID)
        case AdapterError.failed(let code, let message):
            NSError(domain: "AuthAdapter", code: code, userInfo: [NSLocalizedDescriptionKey: message])
        default: error as NSError
        }
    }

    // MARK: What it tells

    /// For developers.
    public var message: String { localizedDescription }

    /// The call's id in the server's log.
    public var transactionId: String? { userInfo[TCGBErrorUserInfoTransactionId] as? String }

    /// The code of the error that this one wraps: that of a provider's library, or a number of the SDK's own, which
    /// `docs/gamebase-compatibility.md` lists; 0 if there is none.
    public func detailErrorCode() -> Int { underlying?.code ?? 0 }

    /// The message of the error that this one wraps.
    public func detailErrorMessage() -> String? { underlying?.localizedDescription }

    private var underlying: NSError? { userInfo[NSUnderlyingErrorKey] as? NSError }

    var json: [String: JSONValue] { json(showingSecrets: true) }

    private func json(showingSecrets: Bool) -> [String: JSONValue] {
        var json = Self.json(of: self)
        json["transactionId"] = transactionId.map { .string($0) }
        let extras = extras(showingSecrets: showingSecrets)
        if !extras.isEmpty { json["extras"] = .object(extras.mapValues { .string($0) }) }
        if let error = underlying as? TCGBError {
            json["error"] = .object(error.json(showingSecrets: showingSecrets))
        } else if let error = underlying {
            json["error"] = .object(Self.json(of: error))
        }
        return json
    }

    /// The JSON members of every error.
    private static func json(of error: NSError) -> [String: JSONValue] {
        [
            "domain": .string(error.domain), "code": .integer(Int64(error.code)),
            "message": .string(error.localizedDescription),
        ]
    }

    /// Further information, each part as a JSON text: `ban`, `forcingMappingTicket`, `failTransferAccount`,
    /// `failMigration`, `updateInfo`.
    public var extras: [String: String] { extras(showingSecrets: true) }

    private func extras(showingSecrets: Bool) -> [String: String] {
        var extras: [String: String] = [:]
        extras["ban"] = TCGBBanInfo(self)?.jsonString()
        extras["forcingMappingTicket"] = TCGBForcingMappingTicket(self).map { ticket in
            let hidden: [String: JSONValue] = showingSecrets ? [:] : ["forcingMappingKey": "***"]
            return ticket.json.merging(hidden) { $1 }.text()
        }
        extras["updateInfo"] = TCGBUpdateInfo(self)?.jsonString()
        extras["failTransferAccount"] = TCGBTransferAccountFailInfo(self)?.jsonString()
        extras["failMigration"] = TCGBMigrationFailInfo(self)?.jsonString()
        return extras
    }

    /// The whole error as JSON. An engine's bridge receives errors only in this form, so it includes the key of a ticket, which the
    /// next call needs. Write ``description`` into logs instead, because it leaves the key out.
    public func jsonString() -> String { json.text() }

    /// The same as ``jsonString()``, with line breaks.
    public func prettyJsonString() -> String { json.text(.prettyPrinted) }

    /// The whole error as JSON, without secrets.
    override public var description: String { json(showingSecrets: false).text() }

    // MARK: For games that make their own

    /// Makes an error of Gamebase's domain.
    public static func result(code: Int) -> TCGBError { result(code: code, message: nil) }

    /// Makes an error of Gamebase's domain with a message.
    public static func result(code: Int, message: String?) -> TCGBError {
        TCGBError(domain: TCGBDomainGamebase, code: code, message: message, userInfo: [:])
    }

    /// Makes an error of any domain.
    public static func result(domain: String, code: Int, userInfo: [String: Any]?) -> TCGBError {
        TCGBError(domain: domain, code: code, message: nil, userInfo: userInfo ?? [:])
    }

    /// Makes an error of any domain with a message and a cause.
    public static func result(
        domain: String, code: Int, description: String?, underlyingError: (any Error)?
    ) -> TCGBError {
        let userInfo: [String: Any] = underlyingError.map { [NSUnderlyingErrorKey: $0 as NSError] } ?? [:]
        return TCGBError(domain: domain, code: code, message: description, userInfo: userInfo)
    }

    /// Makes an error from another, with the call's id in the server's log.
    public static func error(error: any Error, transactionId: String?) -> TCGBError {
        let error = error as NSError
        var userInfo = error.userInfo
        userInfo[TCGBErrorUserInfoTransactionId] = transactionId
        return TCGBError(domain: error.domain, code: error.code, message: nil, userInfo: userInfo)
    }
}
