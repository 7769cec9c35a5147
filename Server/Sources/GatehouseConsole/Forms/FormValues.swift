import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
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

/// A form whose session has ended, until its person has signed in again.
struct KeptForm: Codable, Sendable {
    let path: String
    let fields: [String: String]
    let person: String

    init(path: String, values: FormValues, person: OperatorID) {
        self.path = path
        // Into the box that finds everything somebody may have typed a secret key.
        fields = values.all.filter { !Self.isSecret($0.key) && !$0.value.has(SecretKey.mark) }
        self.person = person.rawValue
    }

    /// What is never kept.
    private static let secrets: Set = ["token", "password", "code", "new", "secret"]

    static func isSecret(_ name: String) -> Bool { secrets.contains(name) || name.begins(with: "secret.") }
}

/// A change that the server could not answer. The page of the error has what was typed, and sends it once more.
struct UnansweredForm {
    /// Where it was sent, with the query that names the target.
    let address: String
    /// Whether the form only asks for the confirmation page.
    let isCheck: Bool
    let fields: [String: String]
    /// The token of the session that sends it.
    let token: String

    /// Nil for a form that changes nothing, because the database counts only changes once; and for one with a secret besides the
    /// sign-in's, which the page would lose without a word.
    fileprivate init?(_ form: FormValues, _ request: Request, token: String) {
        let signIn: Set = ["token", "password", "code"]
        let path = request.uri.path
        guard path.has("/do/"), form.all.keys.allSatisfy({ !KeptForm.isSecret($0) || signIn.contains($0) })
        else { return nil }
        address = path + (request.uri.query.map { "?\($0)" } ?? "")
        isCheck = path.ends(with: "/check")
        fields = form.all.filter { !signIn.contains($0.key) }
        self.token = token
    }

    var hidden: [Field] {
        fields.sorted { $0.key < $1.key }.map { Field($0.key, "", .hidden, value: $0.value) }
    }
}

extension Console {
    /// Answers a form. If the server fails, the page of the error has what was typed, and sends it once more.
    func answer(
        _ form: FormValues, _ request: Request, _ context: ConsoleContext, _ page: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await page()
        } catch let failure as PageFailure {
            throw failure
        } catch {
            return await errorPage(for: error, request, context, unanswered: unanswered(form, request))
        }
    }

    /// The form, if a page of the session has sent it. No other page knows the session's token.
    private func unanswered(_ form: FormValues, _ request: Request) -> UnansweredForm? {
        guard let token = Self.token(of: request), Self.isToken(form, of: token) else { return nil }
        return unanswered(form, request, in: token)
    }

    /// The same in the session that has begun with this form.
    func unanswered(_ form: FormValues, _ request: Request, in token: OperatorToken) -> UnansweredForm? {
        UnansweredForm(form, request, token: Self.formToken(of: token))
    }
}
