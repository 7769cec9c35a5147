import Foundation

/// What a device says of itself with a login, for the game's operator and the Server API's `memberInfo`: nothing that tells one
/// device from others of its kind. All of it may be absent. The server keeps it with the session and forgets it with the session.
public struct ClientInformation: Codable, Sendable, Hashable {
    /// `IOS`, `MACOS`, `AOS`, `WEB`, `WINDOWS`, or another system's name in capitals.
    public var osCode: String?
    public var osVersion: String?
    /// The model's name, such as `iPhone17,2`.
    public var deviceModel: String?
    /// ISO 3166-1, of the device's settings.
    public var deviceCountryCode: String?
    /// ISO 3166-1, of the SIM card.
    public var usimCountryCode: String?
    /// The device's language (ISO 639-1).
    public var language: String?
    /// The carrier's name.
    public var telecom: String?
    /// Where the game was installed from: `AS`, `GG`, ...
    public var storeCode: String?
    /// `wifi`, `lte`, ...
    public var network: String?
    public var sdkVersion: String?
    /// The game's own version.
    public var clientVersion: String?

    public init() {}

    /// No longer than this is read, in bytes.
    public static let maximumLength = 512

    private static var fields: [(name: String, path: WritableKeyPath<ClientInformation, String?>)] {
        [
            ("osCode", \.osCode), ("osVersion", \.osVersion), ("deviceModel", \.deviceModel),
            ("deviceCountryCode", \.deviceCountryCode), ("usimCountryCode", \.usimCountryCode),
            ("language", \.language), ("telecom", \.telecom), ("storeCode", \.storeCode), ("network", \.network),
            ("sdkVersion", \.sdkVersion), ("clientVersion", \.clientVersion),
        ]
    }

    /// The value of the header ``HeaderNames/client``: `osCode=IOS&osVersion=26.1`, values percent-encoded. Nil when there is
    /// nothing to say.
    public var headerValue: String? {
        let members = Self.fields.compactMap { field in
            self[keyPath: field.path].map { "\(field.name)=\(PathSegment.escape(String($0.prefix(64))))" }
        }
        return members.isEmpty ? nil : members.joined(separator: "&")
    }

    /// Nil for a value that is too long. What is not known is left out.
    public init?(headerValue: String) {
        guard headerValue.utf8.count <= Self.maximumLength else { return nil }
        var values: [Substring: String] = [:]
        for member in headerValue.split(separator: "&") {
            let parts = member.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = parts[1].removingPercentEncoding, !value.utf8.contains(0) else {
                continue
            }
            values[parts[0]] = String(value.prefix(64))
        }
        for field in Self.fields { self[keyPath: field.path] = values[Substring(field.name)] }
    }
}
