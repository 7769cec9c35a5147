import GatehouseImport
import GatehouseJSON
import GatehouseProviders
import GatehouseWire

/// Which identity providers of the app stand for those of a file.
package struct ImportMapping: Sendable {
    /// An identity provider of the app as it stands for one of the old system.
    struct Slot: Sendable, Hashable {
        let provider: Provider
        let namespace: String
        /// The neutral name by which the form of the subjects is known.
        let form: String
        /// The issuer of an OpenID provider.
        var issuer: String?
        /// The kind of Game Center's ids.
        var kind: String?
    }

    package let source: String
    package let options: ImportOptions
    let sourceKind: String
    private let configurations: [Provider: ProviderConfiguration]
    private let settings: LegacySettings

    /// Kinds whose subjects belong to a team, an app or a channel, which no file names.
    private static let assertedKinds: Set<ProviderKind> = [.apple, .facebook, .gameCenter, .line, .kakao, .naver]
    private static let forms: [(kind: ProviderKind, name: String)] = [
        (.google, SubjectForm.Name.google), (.apple, SubjectForm.Name.apple), (.facebook, SubjectForm.Name.facebook),
        (.twitter, SubjectForm.Name.twitter), (.gameCenter, SubjectForm.Name.gameCenter),
        (.line, SubjectForm.Name.line),
    ]

    /// - Throws: ``ImportFailure`` for an option that names what the app does not have.
    init(_ app: App, _ source: LegacySource, _ options: ImportOptions) throws {
        self.source = source.name
        sourceKind = source.kind.rawValue
        self.options = options
        configurations = app.providers
        settings = source.settings
        guard ImportOptions.batches.contains(options.batch) else {
            throw ImportFailure(
                .badOption,
                "A batch has \(ImportOptions.batches.lowerBound) to \(ImportOptions.batches.upperBound) records.")
        }
        guard options.rate.map(ImportOptions.rates.contains) ?? true else {
            throw ImportFailure(
                .badOption,
                "A rate is \(ImportOptions.rates.lowerBound) to \(ImportOptions.rates.upperBound) records a second.")
        }
        for (name, target) in options.providers {
            guard let provider = target.provider else { continue }
            guard let configuration = app.providers[provider] else {
                throw ImportFailure(
                    .badOption, "The app has no identity provider \(provider), which is to stand for \(name).")
            }
            guard target.namespace.map(Self.namespaces(of: configuration).contains) ?? true else {
                throw ImportFailure(
                    .badOption,
                    "The identity provider \(provider) has another namespace than the one for \(name).")
            }
        }
        for provider in options.assertions.keys where app.providers[provider] == nil {
            throw ImportFailure(.badOption, "The app has no identity provider \(provider).")
        }
    }

    /// Those in which logins here find their players.
    private static func namespaces(of configuration: ProviderConfiguration) -> [String] {
        let regions = (configuration.regions ?? [:]).keys.map { region in
            [configuration.namespace, region].compactMap(\.self).joined(separator: "/")
        }
        return [configuration.namespace ?? ""] + regions
    }

    /// The neutral names of providers whose identities the operator leaves out.
    var omitted: [String] { options.providers.filter { $0.value.provider == nil }.map(\.key) }

    func isOmitted(_ name: String) -> Bool { options.providers[name].map { $0.provider == nil } ?? false }

    /// The provider of the app for a provider's neutral name; nil if there is none, or if its identities are left out.
    func slot(for name: String) -> Slot? {
        let target = options.providers[name]
        guard !isOmitted(name),
            let provider = target?.provider ?? settings.provider(named: name)
                ?? SubjectForm.standardProvider(for: name), let configuration = configurations[provider]
        else { return nil }
        let form = Self.forms.first { $0.kind == configuration.kind }?.name ?? name
        var slot = Slot(
            provider: provider, namespace: target?.namespace ?? configuration.namespace ?? "", form: form)
        if let issuer = configuration.openID?.issuer, !issuer.isEmpty { slot.issuer = issuer }
        if configuration.kind == .gameCenter { slot.kind = configuration.gameCenter?.playerIds ?? "team" }
        return slot
    }

    /// Why an identity can't be the one that a login finds here; nil if it may be.
    func problem(of identity: ImportedIdentity, at slot: Slot) -> ImportCode? {
        // What Firebase has stored of Game Center is none of the ids that a device gets.
        if slot.form == SubjectForm.Name.gameCenter, sourceKind == "firebase" { return .notMatchable }
        guard SubjectForm.fits(identity.subject, of: slot.form) else { return .misfit }
        if let kind = slot.kind, (identity.kind ?? SubjectForm.gameCenterKind(of: identity.subject)) != kind {
            return .misfit
        }
        if let issuer = slot.issuer, let named = identity.issuer, !named.isExactly(issuer) { return .misfit }
        return nil
    }

    /// - Throws: ``ImportFailure`` if the operator has not said of one of these providers whose its subjects are.
    func requireAssertions(of used: Set<Slot>) throws {
        for slot in used.sorted(by: { $0.provider.rawValue < $1.provider.rawValue }) {
            guard let configuration = configurations[slot.provider],
                Self.assertedKinds.contains(configuration.kind)
            else { continue }
            guard let asserted = options.assertions[slot.provider] else {
                throw ImportFailure(
                    .unasserted,
                    "No file says to whose team, app or channel the ids of \(slot.provider) belong. Say it with --asserts \(slot.provider)=NAMESPACE."
                )
            }
            let own = slot.namespace.isEmpty ? configuration.clientIds : [slot.namespace]
            guard own.contains(where: asserted.isExactly) else {
                throw ImportFailure(
                    .unasserted,
                    "The ids of \(slot.provider) in the file are others than those that players have here: this app's are of \(own.joined(separator: ", "))."
                )
            }
        }
    }
}
