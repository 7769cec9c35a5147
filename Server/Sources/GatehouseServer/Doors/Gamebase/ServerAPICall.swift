import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// One call of the Server API: verified, with its app and its time.
struct ServerAPICall: Sendable {
    let version: ServerAPIVersion
    let parameters: Parameters
    /// The access token from the path.
    let token: AccessToken?
    let query: [String: String]
    let headers: HTTPFields
    let body: ByteBuffer
    let actor: Actor
    let context: CallContext
    let actions: Actions

    var app: App { context.app }
    var moment: Moment { context.moment }

    /// The header of a successful response.
    var success: ResultHeader { .success(context.transactionID ?? TransactionID("")) }

    /// Runs an action.
    ///
    /// - Parameters:
    ///   - name: the name that the game server gives for itself.
    ///   - reason: the reason, for operators.
    func run<A: UseCase>(_ action: A, named name: String? = nil, reason: String? = nil) async throws -> A.Outcome {
        // The documents have no idempotency key.
        try await actions.run(action, by: actor.named(name, reason: reason), in: context)
    }

    // MARK: What a caller gives

    /// A component of the path. Invalid text becomes a name that nobody has.
    func path(_ name: String) -> String {
        let raw = parameters.get(name) ?? ""
        guard raw.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == 0 }) else { return raw }
        guard let text = raw.percentDecoded, !text.utf8.contains(0) else { return "" }
        return text
    }

    var user: UserID { UserID(path("userId")) }

    /// A parameter of the query; nil when it is missing or empty.
    func given(_ name: String) -> String? {
        query[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func required(_ name: String) throws -> String {
        guard let value = given(name) else { throw ServerAPIFailure.missing(name) }
        return value
    }

    func flag(_ name: String, default standard: Bool) throws -> Bool {
        switch given(name)?.lowercased() {
        case nil: standard
        case "true": true
        case "false": false
        default: throw ServerAPIFailure.mismatch(name, "true or false")
        }
    }

    private func number(_ name: String) throws -> Int? {
        try given(name).map { text in
            guard let number = Int(text) else { throw ServerAPIFailure.mismatch(name, "a number") }
            return number
        }
    }

    /// `page`, `size` and `order`.
    func page() throws -> Page {
        let isDescending =
            switch given("order")?.uppercased() {
            case nil, "ASC": false
            case "DESC": true
            default: throw ServerAPIFailure.mismatch("order", "ASC or DESC")
            }
        return try Page(number: number("page") ?? 0, size: number("size") ?? 100, isDescending: isDescending)
    }

    /// `begin` and `end`.
    func period() throws -> Period {
        try Period(begin: date("begin"), end: date("end"))
    }

    private func date(_ name: String) throws -> Moment {
        guard let moment = ServerAPIDate.parse(try required(name)) else {
            throw ServerAPIFailure.mismatch(name, "a time as yyyy-MM-dd'T'HH:mm:ss.SSSXXX, percent-encoded")
        }
        return moment
    }

    /// Decodes the body as one of the documented objects.
    func decoded<Body: Decodable>(as type: Body.Type) throws -> Body {
        try read(type, from: try document())
    }

    /// The body as a list of names. Older documents give the list a name, so some game servers send an object.
    func names(in member: String) throws -> [String] {
        var document = try document()
        if case .object = document {
            guard let list = document[member] else { throw ServerAPIFailure.missing(member) }
            document = list
        }
        guard case .array(let elements) = document else { throw ServerAPIFailure.mismatch(member, "a list of names") }
        return try elements.map { element in
            guard case .string(let name) = element else {
                throw ServerAPIFailure.mismatch(member, "a list of names")
            }
            return name
        }
    }

    private func document() throws -> StrictJSON.Value {
        guard body.readableBytes > 0 else { throw ServerAPIFailure.missing("body") }
        return try RequestBody.document(in: body, headers: headers)
    }

    private func read<Value: Decodable>(_ type: Value.Type, from document: StrictJSON.Value) throws -> Value {
        do {
            return try JSONReader.read(type, from: document)
        } catch let error as DecodingError {
            let refusal = RequestBody.refusal(error)
            switch error {
            case .keyNotFound, .valueNotFound: throw ServerAPIFailure(.missingParameter, refusal)
            case .dataCorrupted: throw ServerAPIFailure(.undefinedValue, refusal)
            default: throw ServerAPIFailure(.typeMismatch, refusal)
            }
        }
    }
}
