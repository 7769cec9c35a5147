import Foundation
import GatehouseJSON
import GatehouseProviders
import GatehouseServerWire
import GatehouseWire

extension Target {
    /// Any document: what the strict parser accepts, Foundation's parses as the same value, and writing it and parsing it again changes
    /// nothing.
    static let json = Target(name: "json", maximumLength: 65_536) { input in
        guard let document = try? StrictJSON.parse(input) else { return }
        guard let reference = try? JSONDecoder().decode(JSONValue.self, from: Data(input)) else {
            throw Broken("Foundation refuses a document that is accepted")
        }
        let value = try JSONReader.read(JSONValue.self, from: document)
        // Foundation's dictionaries fold names that are canonically equivalent, the parser does not.
        if document.hasPlainNames {
            try Broken.unless(value.isNear(reference), "Foundation reads another value")
        }
        let written = try JSONWriter.bytes(of: value)
        guard let again = try? StrictJSON.parse(written) else { throw Broken("what was written is refused") }
        try Broken.unless(
            try JSONReader.read(JSONValue.self, from: again).isNear(value), "another value after writing and reading")
    }

    /// The bodies of calls: a parsed body is written and parsed again as the same value. The first byte selects the type.
    static let bodies = Target(name: "bodies", maximumLength: 65_536) { input in
        guard let first = input.first, let document = try? StrictJSON.parse(input.dropFirst()) else { return }
        try kinds[Int(first) % kinds.count](document)
    }

    private static let kinds: [@Sendable (StrictJSON.Value) throws -> Void] = [
        returns(Credential.self), returns(LoginAttemptRequest.self), returns(TicketUse.self),
        returns(MappingRemoval.self), returns(TransferRenewal.self), returns(TransferRedemption.self),
        returns(TransferKeyRequest.self), returns(TransferKeyRedemption.self), returns(MigrationRequest.self),
        returns(MigrationConfirmation.self), returns(MigrationLookupRequest.self),
        returns(BanRequest.self),
        returns(BanReleaseRequest.self), returns(GraceBanRequest.self), returns(GraceBanReleaseRequest.self),
        returns(PaymentReport.self), returns(KickOutRequest.self), returns(RevocationsRequest.self),
        returns(ProviderProfileRequest.self), returns(TokenCheckRequest.self), returns(KeySet.self),
        returns(Member.self), returns(ErrorEnvelope.self),
    ]

    private static func returns<Body: Codable & Hashable & Sendable>(
        _ type: Body.Type
    ) -> @Sendable (StrictJSON.Value) throws -> Void {
        { document in
            guard let body = try? JSONReader.read(type, from: document) else { return }
            let written = try JSONWriter.bytes(of: body)
            let again = try JSONReader.read(type, from: try StrictJSON.parse(written))
            try Broken.unless(again == body, "\(type) is another after writing and reading")
        }
    }

    /// The keys that an identity provider publishes (RFC 7517).
    static let keys = Target(name: "keys", maximumLength: 16_384) { input in
        guard let document = try? StrictJSON.parse(input), case .array(let members)? = document["keys"] else { return }
        for member in members.prefix(32) {
            guard let key = ProviderKey(member) else { continue }
            try Broken.unless(
                member["use"] == nil || member["use"]?.string == "sig", "a key that is not for signatures is taken")
            try Broken.unless(
                member["alg"] == nil || member["alg"]?.string == key.algorithm, "a key of another algorithm is taken")
        }
    }
}

extension StrictJSON.Value {
    fileprivate var hasPlainNames: Bool {
        switch self {
        case .object(let members):
            members.allSatisfy { $0.name.utf8.allSatisfy { $0 < 0x80 } && $0.value.hasPlainNames }
        case .array(let elements): elements.allSatisfy(\.hasPlainNames)
        default: true
        }
    }
}

extension JSONValue {
    /// Equality where 5 and 5.0 are the same number, because parsers disagree about which one it is, and Foundation about the last
    /// digit of an integral number with an exponent.
    fileprivate func isNear(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)):
            abs(Double(a) - b) <= abs(b) * 1e-15
        case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isNear($1) }
        case (.object(let a), .object(let b)):
            a.count == b.count && a.allSatisfy { name, value in b[name].map { value.isNear($0) } ?? false }
        // Texts are compared by their bytes: equality of String would not see a changed form.
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        default: self == other
        }
    }
}
