import GatehouseCore
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Hummingbird

/// Reads the context of an action from a request: the app, the time, the caller's address and languages.
struct RequestReader: Sendable {
    let directory: AppDirectory
    let now: @Sendable () -> Moment
    let trustedProxies: Networks

    /// Notes app and address for the audit log, in case the request fails before they are read.
    @discardableResult
    func note(_ request: Request, _ context: GatehouseContext) -> ClientAddress {
        let address = trustedProxies.client(of: request, context)
        context.visitor.note(app: context.parameters.get("appId"), address: address)
        return address
    }

    /// The app that the path names.
    ///
    /// - Throws: 2003 for an unknown app.
    func entry(_ context: GatehouseContext) async throws -> AppDirectory.Entry {
        try await directory.entry(AppID(context.parameters.get("appId") ?? ""))
    }

    /// - Throws: 2003 for an unknown app.
    func context(of request: Request, _ context: GatehouseContext) async throws -> ActionContext {
        let moment = now()
        return self.context(of: request, context, try await entry(context), at: moment)
    }

    func context(
        of request: Request, _ context: GatehouseContext, _ entry: AppDirectory.Entry, at moment: Moment
    ) -> ActionContext {
        ActionContext(
            view: Viewpoint(
                app: entry.app, languages: AcceptedLanguages.parse(request.headers[.acceptLanguage]), moment: moment,
                clientHeader: request.headers.values(of: Headers.client).first,
                keyProtectionHeader: request.headers.values(of: Headers.keyProtection).first),
            keys: entry.keys, address: context.visitor.address ?? .unknown, transactionID: context.transactionID)
    }
}

/// The contract's own headers as values of HTTPTypes.
enum Headers {
    static let proof = HTTPField.Name(HeaderNames.proof)
    static let secretKey = HTTPField.Name(HeaderNames.secretKey)
    static let idempotencyKey = HTTPField.Name(HeaderNames.idempotencyKey)
    static let client = HTTPField.Name(HeaderNames.client)
    static let keyProtection = HTTPField.Name(HeaderNames.keyProtection)
    static let transactionID = HTTPField.Name(HeaderNames.transactionID)
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")
}

extension HTTPFields {
    /// Every value of a header, in order.
    func values(of name: HTTPField.Name?) -> [String] {
        name.map { self[values: $0] } ?? []
    }
}
