import GatehousePlatform

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
