import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the context of an action from a request: the app, the time, the caller's address and languages.
struct RequestReader: Sendable {
    let directory: AppDirectory
    let now: @Sendable () -> Moment
    let trustedProxies: Networks

    /// Notes app and address for the audit log, in case the request fails before they are read.
    @discardableResult
    func note(_ request: Request, _ context: GatehouseContext) -> ClientAddress {
        let address = trustedProxies.client(of: request, context)
        context.notes.note(app: context.parameters.get("appId"), address: address)
        return address
    }

    /// The app that the path names.
    ///
    /// - Throws: 2003 for an unknown app.
    func entry(_ context: GatehouseContext) async throws -> AppDirectory.Entry {
        try await directory.entry(AppID(context.parameters.get("appId") ?? ""))
    }

    /// - Throws: 2003 for an unknown app.
    func context(of request: Request, _ context: GatehouseContext) async throws -> CallContext {
        let moment = now()
        return self.context(of: request, context, try await entry(context), at: moment)
    }

    func context(
        of request: Request, _ context: GatehouseContext, _ entry: AppDirectory.Entry, at moment: Moment
    ) -> CallContext {
        self.context(
            of: context, entry, at: moment, languages: AcceptedLanguages.parse(request.headers[.acceptLanguage]),
            clientHeader: request.headers.values(of: Headers.client).first,
            keyProtectionHeader: request.headers.values(of: Headers.keyProtection).first)
    }

    /// - Parameter languages: empty for texts in the app's own language.
    func context(
        of context: GatehouseContext, _ entry: AppDirectory.Entry, at moment: Moment, languages: [String] = [],
        clientHeader: String? = nil, keyProtectionHeader: String? = nil
    ) -> CallContext {
        CallContext(
            app: entry.app, languages: languages, moment: moment, clientHeader: clientHeader,
            keyProtectionHeader: keyProtectionHeader, keys: entry.keys, address: context.notes.address ?? .unknown,
            transactionID: context.transactionID)
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

/// Decodes a body into a request of the contract, or refuses it with a code that says what is wrong.
enum RequestBody {
    /// 64 KiB, which no valid call comes near (INP-1).
    static let maximumBytes = 65_536

    static func collect(_ request: inout Request, upTo limit: Int = maximumBytes) async throws -> ByteBuffer {
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { throw tooLarge(limit) }
        do {
            return try await request.collectBody(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw tooLarge(limit)
        } catch let error as CancellationError {
            throw error
        } catch {
            // A body that ends early is always the client's fault: broken chunks, a reset, or a lost connection.
            throw Refusal(.invalidParameter, "The body is not well-formed HTTP, or has broken off.", httpStatus: 400)
        }
    }

    static func decode<Body: Decodable>(_ type: Body.Type, from buffer: ByteBuffer, headers: HTTPFields) throws -> Body
    {
        if let empty = Empty() as? Body, buffer.readableBytes == 0 { return empty }
        let document = try document(in: buffer, headers: headers)
        guard case .object = document else { throw malformed("The body must be a JSON object.") }
        do {
            return try JSONReader.read(Body.self, from: document)
        } catch let error as DecodingError {
            throw refusal(error)
        }
    }

    static func document(in buffer: ByteBuffer, headers: HTTPFields) throws -> StrictJSON.Value {
        try requireJSON(headers)
        do {
            return try StrictJSON.parse(buffer.readableBytesView)
        } catch {
            throw malformed("The body is not well-formed JSON: \(error.reason), at byte \(error.offset).")
        }
    }

    static func requireJSON(_ headers: HTTPFields) throws {
        // Nearly all clients send this value, which needs no parsing.
        if headers[.contentType] == "application/json" { return }
        let type = headers[.contentType]?.parts(at: ";").first?.trimmingSpaces().lowercasedASCII
        guard type == "application/json" else {
            throw Refusal(
                .invalidParameter, "The body's Content-Type must be application/json.",
                details: ErrorDetails(parameter: "Content-Type"), httpStatus: 415)
        }
    }

    private static func malformed(_ message: String) -> Refusal { Refusal(.invalidJSONFormat, message) }

    private static func tooLarge(_ limit: Int) -> Refusal {
        Refusal(.invalidParameter, "The body has more than \(limit) bytes.", httpStatus: 413)
    }

    static func refusal(_ error: DecodingError) -> Refusal {
        switch error {
        case .keyNotFound(let key, let context):
            let name = path(context.codingPath + [key])
            return .parameter(name, "The parameter \(name) is missing.")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let name = path(context.codingPath)
            return .parameter(name, "The parameter \(name) has a wrong type or value.")
        @unknown default:
            return Refusal(.invalidParameter)
        }
    }

    /// A path contains only names of the contract and positions, because a decoder's path has nothing else.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
