import GatehousePlatform
import GatehouseSecurity
package import GatehouseWire

/// What `additionalInfo` makes of a provider's page: the game's call wins key by key, and what it lacks the operator has said
/// (LOGIN-3). A client is nobody to trust, so what a call may give is bounded: scopes are those that the page asks for anyway,
/// those that do not let the game act for the player, and those that the operator has named; regions are the operator's, and texts
/// have a form.
package struct AdditionalInfo: Sendable {
    /// The maximum number of keys in a call.
    package static let maximumKeys = 32
    /// The maximum length of a text that is sent to a provider.
    package static let maximumTextLength = 64

    private let configuration: ProviderConfiguration
    private let uses: [String: AdditionalInfoUse]
    private let given: [String: JSONValue]
    private let isBeingSet: Bool
    private var own: [String: JSONValue] { configuration.additionalInfo ?? [:] }

    /// The origin of a value. A mistake in it is reported to the side that made it.
    private enum Source { case call, settings }

    /// - Parameter isBeingSet: whether the operator is setting it now, and is told what is wrong.
    /// - Throws: ``Refusal`` for more than any call needs.
    package init(
        _ configuration: ProviderConfiguration, given: [String: JSONValue] = [:], isBeingSet: Bool = false
    ) throws {
        guard given.count <= Self.maximumKeys else {
            throw Refusal.parameter("additionalInfo", "It has more than \(Self.maximumKeys) keys.")
        }
        self.configuration = configuration
        uses = configuration.description.additionalInfo
        self.given = given
        self.isBeingSet = isBeingSet
    }

    /// Keys of a call that have no effect. The game logs them, and the login continues.
    package var unusedKeys: [String] {
        given.keys.filter { key in
            !(uses[key]?.isForCalls ?? key.begins(with: ProviderKind.ownKeyPrefix))
        }.sorted().map { String($0.prefix(Self.maximumTextLength)) }
    }

    /// The region from the call or from the operator.
    ///
    /// - Throws: ``Refusal``; ``IdentityFailure/misconfigured(_:)`` for what the operator has stored.
    package func region() throws -> String? {
        guard let (key, text, source) = try text(for: .region) else { return nil }
        guard source == .call || configuration.regions?[text] != nil else {
            throw mistake(key, "one of the regions that are set", in: source)
        }
        return text
    }

    /// The scopes to request instead of the description's; nil if neither the call nor the operator sets them.
    ///
    /// - Throws: ``Refusal`` for a scope that no operator has allowed; ``IdentityFailure/misconfigured(_:)`` for what the operator
    ///   has stored.
    package func scopes() throws -> [String]? {
        guard let flow = configuration.description.authorization else { return nil }
        let asked: [String]
        if let scopes = try namedScopes(in: .call) {
            let allowed = Set(flow.required + flow.scopes + flow.knownScopes + (try namedScopes(in: .settings) ?? []))
            if let stranger = scopes.first(where: { !allowed.contains($0) }) {
                throw Refusal.parameter(
                    "additionalInfo",
                    "The scope \(stranger) is none that a call may ask for: the operator has to name it.")
            }
            asked = scopes
        } else if let scopes = try namedScopes(in: .settings) {
            asked = scopes
        } else {
            return nil
        }
        return flow.required.filter { !asked.contains($0) } + asked
    }

    /// Additional parameters of the page's address besides the flow's own.
    ///
    /// - Throws: ``Refusal``; ``IdentityFailure/misconfigured(_:)`` for what the operator has stored.
    package func parameters() throws -> [String: String] {
        var parameters: [String: String] = [:]
        for case .parameter(let name) in Set(uses.values) {
            guard let (key, text, source) = try text(for: .parameter(name)) else { continue }
            guard (1...Self.maximumTextLength).contains(text.count), VisibleText.escaping(text) == text else {
                throw mistake(key, "a text of 1 to \(Self.maximumTextLength) visible characters", in: source)
            }
            parameters[name] = text
        }
        return parameters
    }

    /// The URL scheme with which the provider's page comes back to the game, if the operator has set one for this provider.
    package var callbackScheme: String? {
        uses.first { $0.value == .callbackScheme }.flatMap { own[$0.key]?.stringValue }
    }

    /// The value of the keys with one use: the call's where it has any of them.
    private func text(for use: AdditionalInfoUse) throws -> (key: String, text: String, source: Source)? {
        let keys = uses.filter { $0.value == use }.keys.sorted()
        for source in [Source.call, .settings] {
            for key in keys {
                guard let value = values(of: source)[key], value != .null else { continue }
                guard let text = value.stringValue else { throw mistake(key, "a text", in: source) }
                return (key, text, source)
            }
        }
        return nil
    }

    private func values(of source: Source) -> [String: JSONValue] { source == .call ? given : own }

    private func namedScopes(in source: Source) throws -> [String]? {
        var scopes: [String]?
        for key in uses.filter({ $0.value == .scopes }).keys.sorted() {
            guard let value = values(of: source)[key], value != .null else { continue }
            let named: [String]
            if let text = value.stringValue {
                named = text.parts(at: ",").flatMap { $0.parts(at: " ") }.map(String.init)
            } else if let list = value.arrayValue, list.allSatisfy({ $0.stringValue != nil }) {
                named = list.compactMap(\.stringValue)
            } else {
                throw mistake(key, "a list of scopes, or a text with blanks in between", in: source)
            }
            guard named.count <= 64, named.allSatisfy(Self.isScope) else {
                throw mistake(key, "a list of scopes", in: source)
            }
            scopes = (scopes ?? []) + named.filter { !(scopes ?? []).contains($0) }
        }
        return scopes
    }

    /// RFC 6749 section 3.3, except the comma, with which some providers separate scopes.
    private static func isScope(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x2c && $0 != 0x5c }
    }

    /// What a version before has stored unseen is the operator's to mend, and no player's parameter.
    private func mistake(_ key: String, _ form: String, in source: Source) -> any Error {
        guard source == .settings, !isBeingSet else {
            return Refusal.parameter("additionalInfo", "\(key) is \(form).")
        }
        return IdentityFailure.misconfigured("additionalInfo: \(key) is \(form)")
    }
}

// MARK: - What an operator sets

extension AdditionalInfo {
    /// Validates an operator's settings. A key without an effect is refused, because nobody would notice the mistake later.
    ///
    /// - Throws: ``Refusal`` that names the valid keys.
    package func checkOperators() throws {
        let usable = uses.filter { $0.value != .fakeWorld }.keys.sorted()
        for key in own.keys.sorted() where uses[key] == nil && !key.begins(with: ProviderKind.ownKeyPrefix) {
            let known =
                usable.isEmpty ? "none is known" : "the keys are \(usable.joined(separator: ", "))"
            throw Refusal.parameter(
                "additionalInfo",
                "\(VisibleText.escaping(key)) has no effect with a provider of kind \(configuration.kind.rawValue): \(known). "
                    + "What is for an adapter of the game's own begins with \(ProviderKind.ownKeyPrefix).")
        }
        _ = try scopes()
        _ = try parameters()
        _ = try region()
        if let scheme = callbackScheme,
            scheme.has(":") || scheme.lowercased() == "https" || !RegisteredRedirect.isAllowed("\(scheme)://login")
        {
            throw Refusal.parameter("additionalInfo", "url_scheme_ios_only is a scheme of the game's own.")
        }
        for (key, use) in uses where use == .callbackScheme || use == .fakeWorld {
            guard own[key].map({ $0.stringValue != nil }) ?? true else { throw mistake(key, "a text", in: .settings) }
        }
    }
}

/// The use of a key of `additionalInfo` (LOGIN-3).
package enum AdditionalInfoUse: Sendable, Hashable {
    /// The scopes of the page: a list, or a text separated by blanks or commas.
    case scopes
    /// A parameter of the provider's page, with the provider's name for it.
    case parameter(String)
    /// One of the regions that the operator has set.
    case region
    /// The URL scheme with which the page comes back to the game. Only the operator can set it: if a client could, a login could end in
    /// another app.
    case callbackScheme
    /// The address of the fake world that replaces the provider. It is for development, and only the operator can set it.
    case fakeWorld

    /// Whether it says something of a page: a provider without one has no use for it.
    package var isForPages: Bool {
        switch self {
        case .scopes, .parameter, .callbackScheme: true
        case .region, .fakeWorld: false
        }
    }

    /// Whether a game's call may give it.
    package var isForCalls: Bool { self != .callbackScheme && self != .fakeWorld }
}

extension ProviderKind {
    /// The prefix of keys for the game's own adapters. They are stored and published, but not interpreted here.
    package static let ownKeyPrefix = "x-"
}

extension [String: AdditionalInfoUse] {
    /// Gamebase's names for the scopes of a page, as most providers have them.
    package static var scopes: [String: AdditionalInfoUse] { ["scope": .scopes, "scopes": .scopes] }
}
