import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity

/// One HTTP call of an identity provider as data: the request, with `{names}` as placeholders for values, and the conditions on its
/// response.
public struct ProviderCall: Codable, Sendable, Hashable {
    public var method: String
    public var url: String
    public var query: [String: String]
    public var headers: [String: String]
    public var form: [String: String]
    /// The members of a JSON body.
    public var json: [String: String]
    /// The conditions of a success, by the path of each member, such as `data.is_valid`: `true`.
    public var success: [String: String]
    /// The values that later calls need from the response: each name with its path.
    public var captures: [String: String]
    /// Whether the client authenticates itself with the call. The provider determines the method.
    package var isAuthenticated = false

    public init(
        _ method: String, _ url: String, query: [String: String] = [:], headers: [String: String] = [:],
        form: [String: String] = [:], json: [String: String] = [:], success: [String: String] = [:],
        captures: [String: String] = [:]
    ) {
        self.method = method
        self.url = url
        self.query = query
        self.headers = headers
        self.form = form
        self.json = json
        self.success = success
        self.captures = captures
    }

    /// Makes a GET call.
    public init(
        _ url: String, query: [String: String] = [:], headers: [String: String] = [:], success: [String: String] = [:]
    ) {
        self.init("GET", url, query: query, headers: headers, success: success)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func texts(_ key: CodingKeys) throws -> [String: String] {
            try container.decodeIfPresent([String: String].self, forKey: key) ?? [:]
        }
        self.init(
            try container.decodeIfPresent(String.self, forKey: .method) ?? "GET",
            try container.decode(String.self, forKey: .url), query: try texts(.query), headers: try texts(.headers),
            form: try texts(.form), json: try texts(.json), success: try texts(.success), captures: try texts(.captures)
        )
    }

    private enum CodingKeys: String, CodingKey {
        case method, url, query, headers, form, json, success, captures
    }

    /// The header of a call with the person's access token (RFC 6750 section 2.1).
    package static let bearer = ["Authorization": "Bearer {token}"]

    package var authenticated: ProviderCall {
        var call = self
        call.isAuthenticated = true
        return call
    }

    /// Whether the call needs a token of the person.
    package var takesToken: Bool { mentions("token") || mentions("anyToken") }

    package func mentions(_ name: String) -> Bool {
        ([url] + [query, headers, form, json].flatMap(\.values)).contains { $0.has("{\(name)}") }
    }

    /// The request with all placeholders replaced.
    ///
    /// - Parameter additions: how the client authenticates itself, for a call with a form.
    /// - Throws: ``IdentityFailure/misconfigured(_:)`` for a placeholder without a value.
    package func request(
        _ values: CallValues, adding additions: CallAdditions? = nil
    ) throws -> OutgoingRequest {
        var request = OutgoingRequest(method: method, url: values.place(try values.fill(url, Form.encode)))
        if !query.isEmpty {
            request.url += (url.has("?") ? "&" : "?") + Form.text(try query.mapValues { try values.fill($0) })
        }
        for (name, value) in headers {
            let value = try values.fill(value)
            guard value.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
                throw IdentityFailure.rejected("it holds characters that no token has")
            }
            request.headers[name] = value
        }
        if let additions { request.headers.merge(additions.headers) { _, own in own } }
        if !form.isEmpty {
            let members = try form.mapValues { try values.fill($0) }.merging(additions?.form ?? [:]) { _, own in own }
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            request.body = Data(Form.text(members).utf8)
        } else if !json.isEmpty {
            request.headers["Content-Type"] = "application/json"
            request.body = Data(try JSONWriter.bytes(of: json.mapValues { try values.fill($0) }))
        }
        return request
    }
}

/// The values of placeholders in calls, and the origin of the calls.
package struct CallValues: Sendable {
    package var texts: [String: String]
    /// For development: `https://HOST/PATH` is found at `ORIGIN/HOST/PATH`.
    package var origin: String?

    package subscript(_ name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue }
    }

    package func fill(_ text: String, _ encode: (String) -> String = { $0 }) throws -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.range(ofBytes: "{"), let close = rest[open.upperBound...].range(ofBytes: "}") {
            let name = String(rest[open.upperBound..<close.lowerBound])
            guard let value = texts[name] else { throw IdentityFailure.misconfigured("it has no \(name)") }
            result += rest[..<open.lowerBound] + encode(value)
            rest = rest[close.upperBound...]
        }
        return result + rest
    }

    package func place(_ url: String) -> String { Self.place(url, at: origin) }

    package static func place(_ url: String, at origin: String?) -> String {
        guard let origin, url.begins(with: "https://") else { return url }
        return "\(origin)/\(url.dropFirst(8))"
    }
}

/// What a client adds to a request to authenticate itself.
package struct CallAdditions: Sendable {
    package var form: [String: String]
    package var headers: [String: String] = [:]
}

/// `application/x-www-form-urlencoded`.
package enum Form {
    package static func encode(_ text: String) -> String { text.percentEncoded }

    package static func text(_ members: [String: String]) -> String {
        members.sorted { $0.key < $1.key }.map { "\(encode($0.key))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// Nil if the text is not a form, or if a name occurs twice, because parsers disagree about which one counts.
    package static func parse(_ text: some StringProtocol) -> [String: String]? { parse(text.utf8) }

    package static func parse(_ bytes: some Sequence<UInt8>) -> [String: String]? {
        var members: [ExactText: String] = [:]
        for field in FormEncoding.fields(of: bytes) {
            guard field.isWellFormed, members.updateValue(field.value, forKey: ExactText(field.name)) == nil else {
                return nil
            }
        }
        return Dictionary(members.map { ($0.key.text, $0.value) }) { first, _ in first }
    }
}
