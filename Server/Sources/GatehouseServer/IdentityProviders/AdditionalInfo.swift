import Foundation
import GatehouseWire

/// Applies `additionalInfo` to a provider's page: each key comes from the game's call, or else from the operator's settings (LOGIN-3).
/// A client is not trusted, so a call's values are restricted: scopes must be known to be harmless or allowed by the operator, regions
/// must be the operator's, and texts must have a valid form.
struct AdditionalInfo: Sendable {
    /// The maximum number of keys in a call.
    static let maximumKeys = 32
    /// The maximum length of a text that is sent to a provider.
    static let maximumTextLength = 64

    private let configuration: ProviderConfiguration
    private let uses: [String: AdditionalInfoUse]
    private let given: [String: JSONValue]
    private var own: [String: JSONValue] { configuration.additionalInfo ?? [:] }

    /// - Throws: ``Refusal`` for more keys than any call needs.
    init(_ configuration: ProviderConfiguration, given: [String: JSONValue] = [:]) throws {
        guard given.count <= Self.maximumKeys else {
            throw Refusal.parameter("additionalInfo", "It has more than \(Self.maximumKeys) keys.")
        }
        self.configuration = configuration
        uses = configuration.description.additionalInfo
        self.given = given
    }

    /// Keys of a call that have no effect. The game logs them, and the login continues.
    var unusedKeys: [String] {
        given.keys.filter { key in
            !(uses[key]?.isForCalls ?? key.hasPrefix(ProviderKind.ownKeyPrefix))
        }.sorted().map { String($0.prefix(Self.maximumTextLength)) }
    }

    /// The region from the call or from the operator.
    ///
    /// - Throws: ``Refusal``.
    func region() throws -> String? {
        try text(for: .region)?.text
    }

    /// The scopes to request instead of the description's; nil if neither the call nor the operator sets them.
    ///
    /// - Throws: ``Refusal`` for a scope that no operator has allowed.
    func scopes() throws -> [String]? {
        guard let flow = configuration.description.authorization else { return nil }
        let asked: [String]
        if let scopes = try namedScopes(in: given) {
            let allowed = Set(flow.scopes + flow.knownScopes + (try namedScopes(in: own) ?? []))
            if let stranger = scopes.first(where: { !allowed.contains($0) }) {
                throw Refusal.parameter(
                    "additionalInfo",
                    "The scope \(stranger) is none that a call may ask for: the operator has to name it.")
            }
            asked = scopes
        } else if let scopes = try namedScopes(in: own) {
            asked = scopes
        } else {
            return nil
        }
        // Without its default scopes a provider's response would lack the data that verifies the login.
        let needed =
            configuration.kind == .openID ? ["openid"] : configuration.kind.description.authorization?.scopes ?? []
        return needed.filter { !asked.contains($0) } + asked
    }

    /// Additional parameters of the page's address besides the flow's own.
    ///
    /// - Throws: ``Refusal``.
    func parameters() throws -> [String: String] {
        var parameters: [String: String] = [:]
        for case .parameter(let name) in Set(uses.values) {
            guard let (key, text) = try text(for: .parameter(name)) else { continue }
            guard (1...Self.maximumTextLength).contains(text.count), VisibleText.escaping(text) == text else {
                throw Self.refusal(key, "a text of 1 to \(Self.maximumTextLength) visible characters")
            }
            parameters[name] = text
        }
        return parameters
    }

    /// The URL scheme with which the provider's page comes back to the game, if the operator has set one for this provider.
    var callbackScheme: String? {
        uses.first { $0.value == .callbackScheme }.flatMap { own[$0.key]?.stringValue }
    }

    /// The value of the first key with this use, from the call if it has any of them.
    private func text(for use: AdditionalInfoUse) throws -> (key: String, text: String)? {
        let keys = uses.filter { $0.value == use }.keys.sorted()
        for values in [given, own] {
            for key in keys {
                guard let value = values[key], value != .null else { continue }
                guard let text = value.stringValue else { throw Self.refusal(key, "a text") }
                return (key, text)
            }
        }
        return nil
    }

    private func namedScopes(in values: [String: JSONValue]) throws -> [String]? {
        var scopes: [String]?
        for key in uses.filter({ $0.value == .scopes }).keys.sorted() {
            guard let value = values[key], value != .null else { continue }
            let named: [String]
            if let text = value.stringValue {
                named = text.split { $0 == " " || $0 == "," }.map(String.init)
            } else if let list = value.arrayValue, list.allSatisfy({ $0.stringValue != nil }) {
                named = list.compactMap(\.stringValue)
            } else {
                throw Self.refusal(key, "a list of scopes, or a text with blanks in between")
            }
            guard named.count <= 64, named.allSatisfy(Self.isScope) else { throw Self.refusal(key, "a list of scopes") }
            scopes = (scopes ?? []) + named.filter { !(scopes ?? []).contains($0) }
        }
        return scopes
    }

    /// RFC 6749 section 3.3, except the comma, with which some providers separate scopes.
    private static func isScope(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x2c && $0 != 0x5c }
    }

    private static func refusal(_ key: String, _ form: String) -> Refusal {
        .parameter("additionalInfo", "\(key) is \(form).")
    }
}

// MARK: - What an operator sets

extension AdditionalInfo {
    /// Validates an operator's settings. A key without an effect is refused, because nobody would notice the mistake later.
    ///
    /// - Throws: ``Refusal`` that names the valid keys.
    func checkOperators() throws {
        let usable = uses.filter { $0.value != .fakeWorld }.keys.sorted()
        for key in own.keys.sorted() where uses[key] == nil && !key.hasPrefix(ProviderKind.ownKeyPrefix) {
            let known =
                usable.isEmpty ? "none is known" : "the keys are \(usable.joined(separator: ", "))"
            throw Refusal.parameter(
                "additionalInfo",
                "\(VisibleText.escaping(key)) has no effect with a provider of kind \(configuration.kind.rawValue): \(known). "
                    + "What is for an adapter of the game's own begins with \(ProviderKind.ownKeyPrefix).")
        }
        _ = try scopes()
        _ = try parameters()
        if let region = try region(), configuration.regions?[region] == nil {
            throw Refusal.parameter("additionalInfo", "The region \(region) is none of those that are set.")
        }
        if let scheme = callbackScheme,
            scheme.contains(":") || scheme.lowercased() == "https" || !RedirectTarget.canBeNamed("\(scheme)://login")
        {
            throw Refusal.parameter("additionalInfo", "url_scheme_ios_only is a scheme of the game's own.")
        }
        for (key, use) in uses where use == .callbackScheme || use == .fakeWorld {
            guard own[key].map({ $0.stringValue != nil }) ?? true else { throw Self.refusal(key, "a text") }
        }
    }
}
