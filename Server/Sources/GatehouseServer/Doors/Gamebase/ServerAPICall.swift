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
    let context: ActionContext
    let actions: Actions

    var view: Viewpoint { context.view }
    var app: App { context.view.app }

    /// The header of a successful response.
    var success: ResultHeader { .success(context.transactionID ?? TransactionID("")) }

    /// Runs an action.
    ///
    /// - Parameters:
    ///   - name: the name that the game server gives for itself.
    ///   - reason: the reason, for operators.
    func run<A: Action>(_ action: A, named name: String? = nil, reason: String? = nil) async throws -> A.Outcome {
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

/// The versions of the Server API. A version changes when the type of a field does: dates are numbers in the older ones.
enum ServerAPIVersion: String, Sendable, Hashable, CaseIterable {
    case v10 = "v1.0"
    case v11 = "v1.1"
    /// This version has only one call: the validation of a transfer account.
    case v112 = "v1.1.2"
    case v12 = "v1.2"
    case v13 = "v1.3"

    static let every: Set<ServerAPIVersion> = [.v10, .v11, .v12, .v13]
    static let newest: Set<ServerAPIVersion> = [.v13]

    /// Whether dates of members are numbers.
    private var hasNumbersForMembers: Bool { self == .v10 || self == .v11 }

    /// A date in a member: its registration, its last login, or the end of its grace period.
    func date(ofMember milliseconds: Int64) -> ServerAPIDate {
        hasNumbersForMembers ? .milliseconds(milliseconds) : .iso8601(milliseconds)
    }

    /// A date in a ban. It is a number in every sample before version 1.3.
    func date(ofBan moment: Moment) -> ServerAPIDate {
        self == .v13 ? .iso8601(moment.milliseconds) : .milliseconds(moment.milliseconds)
    }
}

/// A date in a response.
enum ServerAPIDate: JSONWritable, Sendable, Hashable {
    /// Since 1970, UTC.
    case milliseconds(Int64)
    /// `yyyy-MM-dd'T'HH:mm:ss+00:00`.
    case iso8601(Int64)

    func write(to text: inout JSONBytes) {
        switch self {
        case .milliseconds(let value): text.write(value)
        case .iso8601(let value): text.write(plain: Self.length) { Self.fill($0, value) }
        }
    }

    private static let length = 25

    static func text(_ milliseconds: Int64) -> String {
        String(unsafeUninitializedCapacity: length) { text in
            fill(text, milliseconds)
            return length
        }
    }

    /// Formats the date without Foundation, because a list of three hundred members has three hundred dates. The offset is written in
    /// digits, because some languages' parsers don't accept `Z`.
    private static func fill(_ text: UnsafeMutableBufferPointer<UInt8>, _ milliseconds: Int64) {
        // The range is 0001-01-01 to 9999-12-31, so that a year has four digits.
        let seconds = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999).floorDivided(by: 1_000)
        let days = seconds.floorDivided(by: 86_400)
        let time = seconds - days * 86_400
        let (year, month, day) = CivilDay.date(of: days)
        var length = 0
        func put(_ number: Int64, _ separator: UInt8?) {
            text[length] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
            text[length + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
            length += 2
            guard let separator else { return }
            text[length] = separator
            length += 1
        }
        put(year / 100, nil)
        put(year % 100, UInt8(ascii: "-"))
        put(month, UInt8(ascii: "-"))
        put(day, UInt8(ascii: "T"))
        put(time / 3_600, UInt8(ascii: ":"))
        put(time / 60 % 60, UInt8(ascii: ":"))
        put(time % 60, UInt8(ascii: "+"))
        put(0, UInt8(ascii: ":"))
        put(0, nil)
    }

    /// Parses ISO 8601 with an offset, with or without a fraction. Some clients don't percent-encode the `+`, which then becomes a
    /// space. Older clients send milliseconds; only times of this century are accepted, so that a date without dashes or a number of
    /// seconds is not taken for a time in 1970.
    static func parse(_ text: String) -> Moment? {
        guard text.utf8.count <= 40 else { return nil }
        if let number = Int64(text) {
            // The range is 2000-01-01 to 2099-12-31.
            return (946_684_800_000..<4_102_444_800_000).contains(number) ? Moment(milliseconds: number) : nil
        }
        let text = text.substituting(" ", by: "+")
        for strategy in [
            Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle(),
        ] {
            guard let seconds = (try? strategy.parse(text))?.timeIntervalSince1970, abs(seconds) < 253_402_300_800
            else {
                continue
            }
            return Moment(milliseconds: Int64((seconds * 1_000).rounded()))
        }
        return nil
    }
}
