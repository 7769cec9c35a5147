import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// The Server API's result codes: 0, or one of Gamebase's negative numbers.
struct ResultCode: RawRepresentable, Sendable, Hashable {
    let rawValue: Int

    static let success = ResultCode(rawValue: 0)

    static let typeMismatch = ResultCode(rawValue: -4_000_001)
    static let missingParameter = ResultCode(rawValue: -4_000_002)
    /// A value in the body that is not documented.
    static let undefinedValue = ResultCode(rawValue: -4_000_003)
    static let unsuitableParameter = ResultCode(rawValue: -4_000_005)
    static let tooLong = ResultCode(rawValue: -4_000_008)
    static let wrongApp = ResultCode(rawValue: -4_010_002)
    static let wrongSecretKey = ResultCode(rawValue: -4_010_004)
    static let badContentType = ResultCode(rawValue: -4_060_001)
    static let unsupportedVersion = ResultCode(rawValue: -4_060_003)
    static let databaseError = ResultCode(rawValue: -4_090_001)
    static let malformedJSON = ResultCode(rawValue: -4_150_001)
    static let internalError = ResultCode(rawValue: -5_000_001)
    /// More work than the server accepts at a time.
    static let queueFull = ResultCode(rawValue: -5_040_202)

    static let invalidAccessToken = ResultCode(rawValue: -4_010_203)
    /// The access token's member is banned, withdrawn or missing.
    static let invalidUser = ResultCode(rawValue: -4_010_204)
    static let expiredAccessToken = ResultCode(rawValue: -4_010_208)
    static let identityProviderUnreachable = ResultCode(rawValue: -5_110_201)

    static let invalidAuthentication = ResultCode(rawValue: -4_000_404)
    static let sameDevice = ResultCode(rawValue: -4_000_409)
    static let noSuchMember = ResultCode(rawValue: -4_040_401)
    static let alreadyWithdrawn = ResultCode(rawValue: -4_100_401)
    static let noTransferAccount = ResultCode(rawValue: -4_040_403)
    static let notGuest = ResultCode(rawValue: -4_120_404)
    static let transferAccountUsed = ResultCode(rawValue: -4_100_402)
    static let transferAccountExpired = ResultCode(rawValue: -4_100_403)
    static let transferAccountBlocked = ResultCode(rawValue: -4_000_901)
    static let wrongTransferPassword = ResultCode(rawValue: -4_000_927)
    static let noTransferID = ResultCode(rawValue: -4_040_920)
    static let noTransferPolicy = ResultCode(rawValue: -4_040_901)

    /// Whether this is a code of the gateway, for any module.
    var isOfGateway: Bool {
        self == .wrongApp || self == .wrongSecretKey || self == .unsupportedVersion || self == .queueFull
    }
}

extension ResultCode {
    /// The code for a refusal of the rules. It depends on the error table's code, and sometimes on the reason.
    init(_ refusal: Refusal) {
        self =
            switch (refusal.code, refusal.reason) {
            case (.authInvalidGatehouseToken, .tokenExpired?), (.authInvalidGatehouseToken, .sessionExpired?):
                .expiredAccessToken
            case (.authInvalidGatehouseToken, .banned?), (.authInvalidGatehouseToken, .withdrawn?): .invalidUser
            case (.authNotExistMember, .withdrawn?): .alreadyWithdrawn
            // What the identity provider has issued has expired, or was never kept.
            case (_, .providerProfileUnavailable?): .expiredAccessToken
            case (_, .overloaded?), (_, .tooManyRequests?): .queueFull
            case (_, .databaseUnavailable?): .databaseError
            default: refusal.httpStatus.flatMap { Self.byStatus[$0] } ?? Self.byCode[refusal.code] ?? .internalError
            }
    }

    private static let byStatus: [Int: ResultCode] = [413: .tooLong, 415: .badContentType]

    private static let byCode: [ErrorCode: ResultCode] = [
        .invalidParameter: .unsuitableParameter,
        .invalidJSONFormat: .malformedJSON,
        .userPermission: .wrongSecretKey,
        .launchingUnregisteredApp: .wrongApp,
        .notSupported: .unsupportedVersion,
        .serverInternalError: .internalError,
        .serverRemoteSystemError: .identityProviderUnreachable,
        .authInvalidGatehouseToken: .invalidAccessToken,
        .bannedMember: .invalidUser,
        .authNotExistMember: .noSuchMember,
        .sameRequestor: .sameDevice,
        .notGuestOrHasOthers: .notGuest,
        .authTransferAccountExpired: .transferAccountExpired,
        .authTransferAccountBlock: .transferAccountBlocked,
        .authTransferAccountInvalidID: .noTransferID,
        .authTransferAccountInvalidPassword: .wrongTransferPassword,
        .authTransferAccountConsoleNoCondition: .noTransferPolicy,
        .authTransferAccountNotExist: .noTransferAccount,
        .authTransferAccountAlreadyUsed: .transferAccountUsed,
    ]
}

/// Gamebase's form of an error: HTTP status 200, and a negative code in the header of the body.
struct GamebaseErrorForm: ErrorForm {
    let now: @Sendable () -> Moment

    func response(to failure: DoorFailure) -> Response {
        let refusal = failure.refusal
        let code = (failure.error as? ServerAPIFailure)?.code ?? ResultCode(refusal)
        // The path is without its access token (``TokenInPath``).
        let segments = failure.path.parts(at: "/", withEmpty: true).map(String.init)
        let module = segments.count > 1 ? String(segments[1].dropFirst("tcgb-".count)) : ""
        let app = segments.count > 4 && segments[3] == "apps" ? segments[4] : nil
        let body = FailureAnswer(
            header: ResultHeader(
                transactionId: failure.transactionID, isSuccessful: false, resultCode: code,
                resultMessage: Self.message(refusal, app: app),
                traceError: TraceError(
                    trackingTime: now().milliseconds, throwPoint: code.isOfGateway ? "gateway" : module,
                    uri: failure.path)))
        var response = ServerAPI.response((try? JSONWriter.bytes(of: body)) ?? [])
        if let seconds = refusal.retryAfterSeconds { response.headers[.retryAfter] = String(seconds) }
        response.headers.append(contentsOf: ServerAPI.origins(of: failure.path))
        return response
    }

    private static func message(_ refusal: Refusal, app: String?) -> String {
        guard refusal.code == .launchingUnregisteredApp, let app else { return refusal.message }
        return "Gamebase product appKey is invalid, appId:\(app.prefix(64))"
    }
}
