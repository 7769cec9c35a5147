import GatehousePlatform
import GatehouseSecurity
package import GatehouseWire

/// Which status some clients of an app get instead of the app's own. Of an app's rules the first that matches a client decides.
package struct ClientRule: Sendable, Hashable {
    package var id: String
    /// The system that it is for, such as `IOS`; nil for every one.
    package var osCode: String?
    /// The store, such as `AS`; nil for every one.
    package var storeCode: String?
    /// The first version that it is for; nil for every one before ``below``.
    package var from: String? { didSet { first = from.flatMap { ClientVersion($0) } } }
    /// The first version that it is not for any more; nil for every one since ``from``.
    package var below: String? { didSet { end = below.flatMap { ClientVersion($0) } } }
    package var status: LaunchingStatus
    /// Where a player finds another version.
    package var updateURL: String?
    /// What players read, by language (BCP 47).
    package var message: LocalizedText

    // They are read once and not with every call.
    private var first: ClientVersion?
    private var end: ClientVersion?

    package init(
        id: String = "", osCode: String? = nil, storeCode: String? = nil, from: String? = nil, below: String? = nil,
        status: LaunchingStatus, updateURL: String? = nil, message: LocalizedText = LocalizedText()
    ) {
        self.id = id
        self.osCode = osCode
        self.storeCode = storeCode
        self.from = from
        self.below = below
        self.status = status
        self.updateURL = updateURL
        self.message = message
        first = from.flatMap { ClientVersion($0) }
        end = below.flatMap { ClientVersion($0) }
    }

    /// Whether it is for a client. What a client does not say of itself matches no condition.
    package func matches(_ client: ClientInformation) -> Bool {
        if let osCode, client.osCode?.uppercased() != osCode { return false }
        if let storeCode, client.storeCode?.uppercased() != storeCode { return false }
        guard first != nil || end != nil else { return true }
        guard let version = client.clientVersion.flatMap({ ClientVersion($0) }) else { return false }
        if let first, version < first { return false }
        if let end, version >= end { return false }
        return true
    }

    /// Whether it matches every client that another rule matches.
    package func covers(_ other: ClientRule) -> Bool {
        guard osCode == nil || osCode == other.osCode, storeCode == nil || storeCode == other.storeCode else {
            return false
        }
        if let first, (other.first ?? .zero) < first { return false }
        if let end {
            guard let otherEnd = other.end, otherEnd <= end else { return false }
        }
        return (first == nil && end == nil) || other.first != nil || other.end != nil
    }

    /// Whether some client matches both rules.
    package func overlaps(_ other: ClientRule) -> Bool {
        func agree(_ one: String?, _ two: String?) -> Bool { one == nil || two == nil || one == two }
        func begins(_ one: ClientRule, before two: ClientRule) -> Bool {
            guard let end = two.end else { return true }
            return (one.first ?? .zero) < end
        }
        return agree(osCode, other.osCode) && agree(storeCode, other.storeCode) && begins(self, before: other)
            && begins(other, before: self)
    }

    /// A client that it matches.
    package var example: ClientInformation {
        var client = ClientInformation()
        (client.osCode, client.storeCode, client.clientVersion) = (osCode, storeCode, from ?? "0")
        return client
    }

    /// The statuses that a rule can give. Maintenance has its window, and test devices have a list of their own.
    package static let statuses: [LaunchingStatus] = [
        .inService, .recommendUpdate, .inTest, .inReview, .inBeta, .requireUpdate, .terminated,
    ]

    /// The most rules of an app. Each login looks through all of them.
    package static let maximumCount = 100

    /// What is wrong with it, by the name of its field; empty if it can be used.
    package var problems: [Problem] {
        var problems: [Problem] = []
        if osCode == nil && storeCode == nil && from == nil && below == nil { problems.append(.noCondition) }
        if !Self.isCode(osCode) { problems.append(.os) }
        if !Self.isCode(storeCode) { problems.append(.store) }
        if !Self.isVersion(from) { problems.append(.from) }
        if !Self.isVersion(below) { problems.append(.below) }
        if let end, (first ?? .zero) >= end { problems.append(.order) }
        if !Self.statuses.contains(status) { problems.append(.status) }
        if let updateURL, !Self.isAddress(updateURL) { problems.append(.updateURL) }
        if message.texts.count > 50 || !message.texts.allSatisfy(Self.isText) { problems.append(.message) }
        return problems
    }

    package enum Problem: Sendable, Hashable {
        /// It would be for everyone, which is the app's status.
        case noCondition
        case os, store, from, below
        /// The versions end before they begin.
        case order
        case status, updateURL, message
    }

    private static func isCode(_ code: String?) -> Bool {
        guard let code else { return true }
        return (1...32).contains(code.utf8.count) && code.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            && code == code.uppercased()
    }

    private static func isVersion(_ text: String?) -> Bool { text.map { ClientVersion.isVersion($0) } ?? true }

    private static func isText(_ language: String, _ text: String) -> Bool {
        LocalizedText.isLanguage(language) && text.utf8.count <= 4_000
    }

    /// Stores have addresses with schemes of their own, such as `itms-apps://`. Those that run or read something are refused.
    private static func isAddress(_ text: String) -> Bool {
        guard (1...1_024).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let match = text.prefixMatch(of: /([a-z][a-z0-9+.\-]*):\/\/[^\/]/)
        else { return false }
        return !["javascript", "vbscript", "data", "file"].contains(match.output.1)
    }
}

extension [ClientRule] {
    /// The rule that decides for a client; nil if none matches.
    package func first(matching client: ClientInformation) -> ClientRule? { first { $0.matches(client) } }
}

/// A game's version, such as `1.9.9`. Versions are compared number by number: 1.10 comes after 1.9, and 2.0 is the same as 2.
package struct ClientVersion: Sendable, Hashable, Comparable {
    /// Digits without zeros in front, so that numbers of any length can be compared. No zeros at the end.
    private let numbers: [Substring]

    static let zero = ClientVersion(numbers: [])

    private init(numbers: [Substring]) {
        self.numbers = numbers
    }

    /// Reads what a client says: the numbers and dots with which a text begins, after an optional `v`. What follows, such as `-beta`, does
    /// not count.
    ///
    /// - Returns: nil for a text that does not begin so.
    package init?(_ text: String) {
        var rest = text.trimmingWhitespace().utf8[...]
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "v") { rest = rest.dropFirst() }
        var numbers: [Substring] = []
        while true {
            let digits = rest.prefix(while: ASCII.isDigit)
            guard !digits.isEmpty else { break }
            numbers.append(Substring(digits.drop { $0 == UInt8(ascii: "0") }))
            rest = rest[digits.endIndex...]
            guard rest.first == UInt8(ascii: ".") else { break }
            rest = rest.dropFirst()
        }
        guard !numbers.isEmpty else { return nil }
        while numbers.last?.isEmpty == true { numbers.removeLast() }
        self.numbers = numbers
    }

    /// The most letters of a version in a rule.
    private static let maximumLength = 64

    /// Whether a text is nothing but numbers with dots between them, as an operator writes a version.
    package static func isVersion(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            && text.parts(at: ".", withEmpty: true).allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy(ASCII.isDigit)
            }
    }

    package static func < (one: ClientVersion, other: ClientVersion) -> Bool {
        for index in 0..<max(one.numbers.count, other.numbers.count) {
            let left = index < one.numbers.count ? one.numbers[index] : ""
            let right = index < other.numbers.count ? other.numbers[index] : ""
            if left.utf8.count != right.utf8.count { return left.utf8.count < right.utf8.count }
            if left != right { return left < right }
        }
        return false
    }
}
