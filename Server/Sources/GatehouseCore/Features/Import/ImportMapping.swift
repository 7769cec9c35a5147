import GatehouseImport
import GatehouseJSON
import GatehouseProviders
package import GatehouseWire

/// What the operator has chosen for an import. It is stored with its run, so that a cut one goes on in the same way.
package struct ImportOptions: Sendable, Hashable, Codable {
    package enum UserIDs: String, Sendable, Codable, CaseIterable {
        /// Every member gets a new user id.
        case new
        /// Every member keeps the one of its record.
        case keep
    }

    /// What happens with a record whose player has come by an identity before the file.
    package enum HeldIdentities: String, Sendable, Codable, CaseIterable {
        /// That member gets the legacy id.
        case adopt
        /// The record is skipped.
        case report
    }

    /// The identity provider of the app that stands for one of the old system.
    package struct Target: Sendable, Hashable, Codable {
        /// Nil if the identities of the old one are left out.
        package let provider: Provider?
        /// Nil for that of the provider's settings.
        package let namespace: String?

        package static let omitted = Target(provider: nil)

        package init(provider: Provider?, namespace: String? = nil) {
            self.provider = provider
            self.namespace = namespace
        }
    }

    /// What the operator has decided about a record whose identities two members have.
    package enum Resolution: RawRepresentable, Sendable, Hashable, Codable {
        case skip
        case member(UserID)

        package init?(rawValue: String) { self = rawValue == "skip" ? .skip : .member(UserID(rawValue)) }

        package var rawValue: String {
            switch self {
            case .skip: "skip"
            case .member(let user): user.rawValue
            }
        }
    }

    /// The file's path, with which a cut run goes on.
    package var file = ""
    /// The folder in which the run's reports are.
    package var reports = ""
    package var providers: [String: Target] = [:]
    /// To whom the subjects of a provider belong, by the operator's word: a team, an app or a channel.
    package var assertions: [Provider: String] = [:]
    package var userIDs = UserIDs.new
    package var heldIdentities = HeldIdentities.adopt
    /// By legacy id.
    package var resolutions: [String: Resolution] = [:]
    /// How many records one transaction has at most.
    package var batch = Self.standardBatch

    /// How many records are written a second at most; nil for no limit.
    package var rate: Int?

    package static let standardBatch = 500
    package static let batches = 1...2_000
    package static let rates = 1...1_000_000

    package init() {}
}

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
