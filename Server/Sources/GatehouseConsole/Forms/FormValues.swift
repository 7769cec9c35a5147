import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The fields of a form or of an address, by name.
struct FormValues: Sendable, Hashable {
    /// How much of a form is read from somebody who has no session, such as a sign-in.
    static let strangersBytes = 8_192
    static let maximumBytes = 262_144
    private static let maximumFields = 500
    /// How long a field is that most forms take.
    static let fieldBytes = InputValues.mostBytes

    private var values: [String: String] = [:]
    /// The fields that were not well-formed, and have a text that resembles what was sent.
    private(set) var unreadable: Set<String> = []

    init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// Reads `application/x-www-form-urlencoded`. Of a name that occurs several times the values are joined by line breaks.
    ///
    /// - Throws: 3 for what is too large.
    init(encoded bytes: some Collection<UInt8>, upTo limit: Int = maximumBytes) throws {
        guard bytes.count <= limit else { throw Self.tooLarge(limit) }
        let fields = FormEncoding.fields(of: bytes)
        guard fields.count <= Self.maximumFields else { throw Self.tooManyFields }
        for field in fields {
            // Browsers send line breaks as two characters.
            let value = field.value.substituting("\r\n", by: "\n")
            values[field.name] = values[field.name].map { "\($0)\n\(value)" } ?? value
            if !field.isWellFormed { unreadable.insert(field.name) }
        }
    }

    /// Reads the body of a form.
    init(_ request: Request, upTo limit: Int) async throws {
        var request = request
        let type = request.headers[.contentType]?.parts(at: ";").first?.trimmingSpaces().lowercasedASCII
        guard type == "application/x-www-form-urlencoded" else {
            throw Refusal(.invalidParameter, "This page takes forms.", httpStatus: 415)
        }
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { throw Self.tooLarge(limit) }
        let body: ByteBuffer
        do {
            body = try await request.collectBody(upTo: limit)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Self.tooLarge(limit)
        }
        try self.init(encoded: body.readableBytesView, upTo: limit)
    }

    /// - Throws: 3 for a field that is longer than the form takes. This comes before all other work on a form.
    func requireFields(upTo limit: Int, but others: Set<String> = []) throws {
        guard values.allSatisfy({ $0.value.utf8.count <= limit || others.contains($0.key) }) else {
            throw Refusal(
                .invalidParameter, "A field of the form has more than \(limit) bytes.", httpStatus: 413)
        }
    }

    private static func tooLarge(_ limit: Int) -> Refusal {
        Refusal(.invalidParameter, "The form has more than \(limit) bytes.", httpStatus: 413)
    }

    private static var tooManyFields: Refusal {
        Refusal(.invalidParameter, "The form has more than \(maximumFields) fields.", httpStatus: 413)
    }

    /// A value without the white space around it; nil if it is empty or missing.
    subscript(_ name: String) -> String? {
        get {
            guard let value = values[name]?.trimmingWhitespace(), !value.isEmpty else {
                return nil
            }
            return value
        }
        set { values[name] = newValue }
    }

    /// A value as it was sent, such as a password.
    func raw(_ name: String) -> String { values[name] ?? "" }

    func isSet(_ name: String) -> Bool { self[name] != nil }

    var all: [String: String] { values }

    /// The values for an address.
    var encoded: String {
        Form.text(values)
    }

    static func encoded(_ text: String) -> String { Form.encode(text) }
}
