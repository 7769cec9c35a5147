import GatehouseJSON
import GatehousePlatform
package import GatehouseWire

extension ProviderKind {
    /// The settings that a provider of this kind takes, made from the kind's description.
    package var offeredSettings: [ProviderSetting] {
        var settings: [ProviderSetting] = []
        let (form, hasPage) = (
            description.settings, description.authorization != nil || description.settings == .partner
        )
        if form == .openID { settings.append(.init("issuer", .text, isNeeded: true)) }
        let hasRegions = description.additionalInfo.values.contains { $0 == .region }
        settings.append(.init("clientIds", .list, isNeeded: !hasRegions))
        if hasRegions { settings.append(.init("regions", .regions)) }
        if form == .partner {
            settings += [
                .init("checks", .json, isNeeded: true), .init("authorizationURL", .text), .init("tokenURL", .text),
            ]
        }
        if form == .gameCenter {
            settings += [
                .init("gameCenterKind", .choice(["team", "game"]), isRare: true),
                .init("acceptsSandbox", .flag, isRare: true),
            ]
        }
        if !description.checks.isEmpty, !description.namesAudience {
            settings.append(.init("acceptsUnboundTokens", .flag))
        }
        settings.append(.init("keepsProfile", .flag))
        if hasPage {
            settings += [.init("scopes", .list, isRare: true), .init("callbackURL", .text, isRare: true)]
        }
        if form == .openID {
            settings += [
                .init("keysURL", .text, isRare: true), .init("algorithms", .list, isRare: true),
                .init("revocationURL", .text, isRare: true),
            ]
        }
        if form == .openID || form == .partner {
            let methods = ClientAuthenticationMethod.allCases.filter { form == .openID || $0 != .privateKeyJWT }
            settings += [
                .init("clientAuthentication", .choice(methods.map(\.rawValue)), isRare: true),
                .init("reauthentication", .pairs, isRare: true),
            ]
        }
        if form != .described { settings.append(.init("trustedCertificates", .certificates, isRare: true)) }
        settings.append(.init("namespace", .text, isRare: true))
        if !description.additionalInfo.isEmpty { settings.append(.init("additionalInfo", .json, isRare: true)) }
        settings.append(.init("origin", .text, isRare: true))
        return settings
    }

    /// The secrets that a provider of this kind takes.
    package var offeredSecrets: [ProviderSecretSlot] {
        guard !description.isGameCenter else { return [] }
        var slots: [ProviderSecretSlot] = []
        if description.oddities.clientSecret != nil {
            slots += [
                .init(name: "appleKey.teamId", form: .open, isNeeded: true),
                .init(name: "appleKey.keyId", form: .open, isNeeded: true),
                .init(name: "appleKey.privateKey", form: .key, isNeeded: true),
            ]
        } else {
            let needs = description.authorization?.needsSecret ?? false
            slots.append(.init(name: "clientSecret", form: .line, isNeeded: needs))
        }
        if description.additionalInfo.values.contains(where: { $0 == .region }) {
            slots.append(.init(name: "regions", form: .pairs))
        }
        if description.revocation.contains(where: { $0.mentions("adminKey") }) {
            slots.append(.init(name: "adminKey", form: .line, isNeeded: true))
        }
        if description.settings == .openID {
            slots += [.init(name: "clientKey.keyId", form: .open), .init(name: "clientKey.privateKey", form: .key)]
        }
        if description.settings == .partner { slots.append(.init(name: "values", form: .pairs)) }
        return slots
    }

    /// Whether a browser can log in, as far as the kind alone says it.
    package var hasPage: Bool { description.authorization != nil || description.settings == .partner }
    /// The name that a provider of this kind has unless an operator names another; nil for a kind without one.
    package var standardNames: [Provider] { names.map(\.provider) }
}

extension ProviderConfiguration {
    /// The kinds of credentials that players may come with.
    package var ways: [String] {
        let description = description
        var ways: [String] = []
        if description.authorization != nil { ways.append("browser") }
        if description.openID != nil { ways.append("id-token") }
        let isUsable = description.namesAudience || acceptsUnboundTokens ?? false
        if !description.checks.isEmpty, isUsable { ways.append("access-token") }
        if description.isGameCenter { ways.append("proof") }
        return ways
    }
}

/// A setting that an operator may give a provider of a kind, as a form asks for it.
package struct ProviderSetting: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        case text
        case flag
        /// One value a line.
        case list
        /// `NAME=VALUE` a line.
        case pairs
        /// `REGION=CLIENT ID` a line.
        case regions
        case json
        case certificates
        case choice([String])
    }

    /// The name in an operator's file.
    package let name: String
    package let form: Form
    /// Whether the provider does not work without it.
    package var isNeeded = false
    /// Whether most operators never need it.
    package var isRare = false

    init(_ name: String, _ form: Form, isNeeded: Bool = false, isRare: Bool = false) {
        self.name = name
        self.form = form
        self.isNeeded = isNeeded
        self.isRare = isRare
    }
}

extension ProviderConfiguration {
    /// The settings by their names in an operator's file.
    package var members: [String: JSONValue] {
        guard let bytes = try? JSONWriter.bytes(of: self) else { return [:] }
        return (try? JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))) ?? [:]
    }

    /// The settings that are set, as they are typed into a form, by their names.
    package var settingTexts: [String: String] {
        let members = members
        let texts = kind.offeredSettings.compactMap { setting in
            members[setting.name].map { (setting.name, setting.form.text($0)) }
        }
        return Dictionary(texts) { first, _ in first }
    }
}

extension ProviderSetting.Form {
    /// A value of this form as it is typed.
    fileprivate func text(_ value: JSONValue) -> String {
        switch self {
        case .text, .choice: value.stringValue ?? ""
        case .flag: value == true ? "on" : ""
        case .list, .certificates: (value.arrayValue ?? []).compactMap(\.stringValue).joined(separator: "\n")
        case .pairs:
            (value.objectValue ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.stringValue ?? "")" }
                .joined(separator: "\n")
        case .regions:
            (value.objectValue ?? [:]).sorted { $0.key < $1.key }.flatMap { name, region in
                (region.objectValue?["clientIds"]?.arrayValue ?? []).compactMap(\.stringValue).map { "\(name)=\($0)" }
            }.joined(separator: "\n")
        case .json: (try? JSONText.write(value)) ?? ""
        }
    }
}

/// A secret that an operator may give a provider of a kind.
package struct ProviderSecretSlot: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        case line
        /// A key in PEM.
        case key
        /// A part of a key that is no secret.
        case open
        /// `NAME=SECRET` a line.
        case pairs
    }

    /// The name in an operator's file (``ProviderSecretChanges``).
    package let name: String
    package let form: Form
    package var isNeeded = false
}

/// Which settings an operator may give a provider of a kind, beside the common ones.
package enum ProviderSettingsForm: Sendable, Hashable {
    case described, openID, partner, gameCenter

    /// The form without any setting.
    package var empty: ProviderConfiguration.Form {
        switch self {
        case .described: .described
        case .openID: .openID(.init())
        case .partner: .partner(.init())
        case .gameCenter: .gameCenter(.init())
        }
    }

    package func read(
        _ container: KeyedDecodingContainer<ProviderConfiguration.CodingKeys>
    ) throws -> ProviderConfiguration.Form {
        switch self {
        case .described: .described
        case .openID: .openID(try .init(container))
        case .partner: .partner(try .init(container))
        case .gameCenter: .gameCenter(try .init(container))
        }
    }
}
