import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

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
