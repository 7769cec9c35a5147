import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// The form of one identity provider, made from its kind's own description, and the settings that come back from it.
struct ProviderForm: Sendable {
    let provider: Provider
    let kind: ProviderKind
    /// Nil for a provider that is not set up yet.
    let view: ProviderView?

    // MARK: Fields

    /// The settings that a form shows. The namespace can't be changed, and a fake world is for servers of this machine.
    private func settings(_ page: PageRequest) -> [ProviderSetting] {
        kind.offeredSettings.filter { setting in
            switch setting.name {
            case "namespace": view == nil
            case "origin": page.console.settings.origins == .loopback || view?.configuration.origin != nil
            default: true
            }
        }
    }

    func fields(_ page: PageRequest) -> [(field: Field, isRare: Bool)] {
        let texts = texts
        var fields = settings(page).filter { !$0.isRare }.map { (field($0, texts, page), false) }
        for slot in kind.offeredSecrets { fields += secretFields(slot, page).map { ($0, false) } }
        fields += settings(page).filter(\.isRare).map { (field($0, texts, page), true) }
        if view != nil, page.may(.owner), ["openid", "partner"].contains(kind.rawValue) {
            let (label, help) = (page.words("provider.same-persons"), page.words("provider.same-persons.help"))
            fields.append((Field("samePersons", label, .check, help: help), true))
        }
        return fields
    }

    private func field(_ setting: ProviderSetting, _ texts: [String: String], _ page: PageRequest) -> Field {
        let kind: Field.Kind =
            switch setting.form {
            case .text: .text
            case .flag: .check
            case .choice(let values):
                .choice(
                    [Field.Option("", page.words("provider.by-itself"))]
                        + values.map { Field.Option($0, page.words.optional("provider.choice.\($0)") ?? $0) })
            case .list, .pairs, .regions, .json, .certificates: .lines
            }
        var field = Field(
            "set.\(setting.name)", page.words("provider.set.\(setting.name)"), kind, value: texts[setting.name] ?? "",
            help: page.words.optional("provider.set.\(setting.name).help.\(self.kind.rawValue)")
                ?? page.words.optional("provider.set.\(setting.name).help"), isRequired: setting.isNeeded,
            limit: setting.form == .text ? 2_048 : nil)
        field.isCode = [.pairs, .json, .certificates].contains(setting.form)
        return field
    }

    private func secretFields(_ slot: ProviderSecretSlot, _ page: PageRequest) -> [Field] {
        let kind: Field.Kind =
            switch slot.form {
            case .line: .password
            case .open: .text
            case .key, .pairs: .lines
            }
        var field = Field(
            "secret.\(slot.name)", page.words("provider.secret.\(slot.name)"), kind,
            value: slot.form == .open ? view?.secrets[slot.name]?.value ?? "" : "",
            help: slot.form == .open ? nil : hint(of: slot, page, isFull: true),
            limit: slot.form == .line ? 4_096 : nil, autocomplete: slot.form == .line ? "off" : nil)
        field.isCode = slot.form == .key || slot.form == .pairs
        if let help = page.words.optional("provider.secret.\(slot.name).help") {
            field.help = [help, field.help].compactMap { $0 }.joined(separator: " ")
        }
        guard slot.form != .open, isSet(slot) else { return [field] }
        return [field, Field("remove.\(slot.name)", page.words("provider.secret.remove"), .check)]
    }

    private func isSet(_ slot: ProviderSecretSlot) -> Bool {
        view?.secrets.keys.contains { $0 == slot.name || $0.begins(with: "\(slot.name).") } ?? false
    }

    /// What may be said of a secret: whether it is set, and how it ends.
    ///
    /// - Parameter isFull: whether the ending may be shown.
    func hint(of slot: ProviderSecretSlot, _ page: PageRequest, isFull: Bool) -> String {
        guard isSet(slot), let hints = view?.secrets else { return page.words("provider.secret.not-set") }
        if slot.form == .pairs {
            let names = hints.keys.filter { $0.begins(with: "\(slot.name).") }.map { $0.dropFirst(slot.name.count + 1) }
            return page.words("provider.secret.set-names", ["names": names.sorted().joined(separator: ", ")])
        }
        guard isFull, let ending = hints[slot.name]?.ending else { return page.words("provider.secret.set") }
        return page.words("provider.secret.set-ends", ["ending": ending])
    }

    /// The settings as they are typed.
    private var texts: [String: String] {
        var texts = view?.configuration.settingTexts ?? [:]
        // A profile is kept unless somebody has said that it is not.
        if view?.configuration.keepsProfile == nil { texts["keepsProfile"] = "on" }
        return texts
    }

    // MARK: Back from the form

    /// - Throws: ``InputProblems``; 3 for what the rules refuse.
    func configuration(from values: FormValues, _ page: PageRequest) throws -> ProviderConfiguration {
        var members = view?.configuration.members ?? [:]
        members["kind"] = .string(kind.rawValue)
        if view == nil { members["isEnabled"] = false }
        var problems = InputProblems()
        for setting in settings(page) {
            let name = "set.\(setting.name)"
            if setting.isNeeded, !values.isSet(name) { problems.phrases[name] = "provider.problem.needed" }
            do throws(Unreadable) {
                members[setting.name] = try Self.value(values[name], setting.form)
            } catch {
                problems.phrases[name] = Phrase("provider.problem.form.\(error.rawValue)")
            }
        }
        if members["clientIds"] == nil { members["clientIds"] = [] }
        // Without a word profiles are kept, and that stays so.
        let isKept = values.isSet("set.keepsProfile")
        members["keepsProfile"] = isKept && view?.configuration.keepsProfile == nil ? nil : .bool(isKept)
        guard problems.phrases.isEmpty else { throw problems }
        do {
            try ProviderSettingsNames.check(.object(members))
            return try JSONDecoder().decode(
                ProviderConfiguration.self, from: Data(JSONWriter.bytes(of: JSONValue.object(members))))
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            let field = kind.rawValue == "partner" ? "checks" : "clientIds"
            throw InputProblems(["set.\(field)": "provider.problem.shape"])
        }
    }

    /// The certificates that are typed in a form, as far as they can be read.
    func certificates(in values: FormValues) -> [String] {
        let typed = try? Self.value(values["set.trustedCertificates"], .certificates)
        return typed?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    private enum Unreadable: String, Error {
        case pairs, json, certificates
    }

    private static func value(_ text: String?, _ form: ProviderSetting.Form) throws(Unreadable) -> JSONValue? {
        guard let text else { return nil }
        switch form {
        case .text, .choice: return .string(text)
        case .flag: return true
        case .list: return .array(lines(text).map { .string($0) })
        case .pairs: return .object(Dictionary(try pairs(text).map { ($0.0, .string($0.1)) }) { $1 })
        case .regions:
            let regions = Dictionary(grouping: try pairs(text)) { $0.0 }
            return .object(regions.mapValues { ["clientIds": .array($0.map { .string($0.1) })] })
        case .json:
            guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else { throw .json }
            return value
        case .certificates:
            let end = "-----END CERTIFICATE-----"
            var certificates: [JSONValue] = []
            var rest = text.substituting("\r\n", by: "\n")[...]
            while let found = rest.range(ofBytes: end) {
                certificates.append(.string(rest[..<found.upperBound].trimmingWhitespace()))
                rest = rest[found.upperBound...]
            }
            guard !certificates.isEmpty else { throw .certificates }
            return .array(certificates)
        }
    }

    static func lines(_ text: String) -> [String] {
        text.lines.map { $0.trimmingSpaces() }.filter { !$0.isEmpty }
    }

    /// - Throws: for a line that is not `NAME=VALUE`.
    private static func pairs(_ text: String) throws(Unreadable) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for line in lines(text) {
            let parts = line.parts(at: "=", atMost: 2).map { $0.trimmingSpaces() }
            guard parts.count == 2 else { throw .pairs }
            pairs.append((parts[0], parts[1]))
        }
        return pairs
    }
}

extension SaveIdentityProvider: OwnForm {
    // Several certificates, or a provider's calls.
    static var fieldBytes: Int { 65_536 }

    private static func form(_ page: PageRequest, _ values: FormValues) async throws -> ProviderForm {
        guard case .provider(let provider) = try page.target(of: Self.self, values),
            (1...32).contains(provider.rawValue.utf8.count)
        else {
            throw Refusal.parameter("provider", "The address names no provider.")
        }
        return try await page.providerForm(provider, kind: values["kind"])
    }

    static func fields(_ page: PageRequest, _ values: FormValues) async throws -> [Field] {
        try await form(page, values).fields(page).map(\.field)
    }

    static func sealed(_ values: FormValues, _ page: PageRequest) async throws -> FormValues {
        try page.sealingSecrets(of: await form(page, values), values)
    }

    static func action(_ page: PageRequest, _ values: FormValues) async throws -> SaveIdentityProvider {
        let form = try await form(page, values)
        return SaveIdentityProvider(
            provider: form.provider, configuration: try form.configuration(from: values, page),
            secrets: .changed(page.secretChanges(in: values)), samePersons: values.isSet("samePersons"))
    }

    static func field(about parameter: String, among fields: [String]) -> String? {
        let setting = "set.\(["clientId": "clientIds", "algorithm": "algorithms"][parameter] ?? parameter)"
        if fields.contains(setting) { return setting }
        let secret = "secret.\(parameter)"
        return fields.last { $0 == secret || $0.begins(with: "\(secret).") } ?? "set.clientIds"
    }
}

extension TestIdentityProvider: OwnForm {
    static func action(_ page: PageRequest, _ values: FormValues) async throws -> TestIdentityProvider {
        var action = try TestIdentityProvider(on: page.target(of: Self.self, values))
        action.publicURL = page.publicURL
        return action
    }

    static func perform(
        _ page: PageRequest, _ form: FormValues, _ confirmation: ActionConfirmation
    ) async throws -> Response? {
        guard form["way"] == "login" else { return nil }
        let test = try TestIdentityProvider(on: page.target(of: Self.self, form))
        return try await page.beginTestLogin(with: test.provider, region: form["region"], confirmation)
    }
}
