import GatehouseJSON
package import GatehouseProviders
package import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Checks with an identity provider that it knows an app's settings, by the first steps of a login.
package struct TestIdentityProvider: OperatorAction {
    package static let about = OperatorActionAbout(
        "provider.tested", role: .operator, step: .plain, section: "providers", subject: .provider)

    package let provider: Provider
    /// The address at which players reach the server. The provider knows the callback under this address.
    package var publicURL: String

    package init(provider: Provider, publicURL: String) {
        self.provider = provider
        self.publicURL = publicURL
    }

    /// Without the address at which players reach the server, which only the door knows.
    package init(on target: ActionTarget) throws {
        self.init(provider: try target.requireProvider(), publicURL: "")
    }

    package var subject: ActionTarget { .provider(provider) }
    /// The command's tests are no operator's.
    package var audited: AuditedRun? { nil }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let found = try context.identityProvider(provider, in: tx)
        return Preview(
            Phrase("provider.test.title", ["name": .name(of: found.provider)]), ["provider.test.what"],
            undo: "provider.test.undo")
    }

    package func perform(_ work: Work) async throws -> [ProviderFinding] {
        let (app, provider) = (work.app.id, provider)
        let (configuration, version) = try await work.testedSettings(of: provider)
        let regions: [String?] =
            (configuration.clientIds.isEmpty ? [] : [nil]) + (configuration.regions ?? [:]).keys.sorted()
        var findings: [ProviderFinding] = []
        for region in regions {
            do {
                findings += try await self.findings(of: region, configuration, work).map { $0.of(region) }
            } catch let failure as IdentityFailure {
                findings.append(.wrong("settings.wrong", failure.words, ["why": failure.words]).of(region))
            }
        }
        guard work.actor.confirmation != nil else { return findings }
        let found = findings
        try await work.transact { change, tx in
            let test = ProviderTestRecord(
                findings: found, version: version, person: change.origin.name ?? "", date: change.moment)
            try ProviderTestQueries.set(test, of: provider, app: app, in: tx)
        }
        return findings
    }

    private func findings(
        of region: String?, _ configuration: ProviderConfiguration, _ work: Work
    ) async throws -> [ProviderFinding] {
        let callback = configuration.callback(of: provider, in: work.app.id, at: publicURL)
        return try await work.test(of: provider, configuration, region: region, callback: callback).findings()
    }
}

extension Work {
    /// The saved settings of a provider as they would be if it was on, because what is switched off is tested before players see it.
    ///
    /// - Returns: the settings, and the version of the saved ones.
    /// - Throws: 3 for a provider that the app does not have.
    func testedSettings(of provider: Provider) async throws -> (ProviderConfiguration, version: String) {
        let app = app.id
        // The settings may have been saved a moment ago, and the cached app is up to a second old.
        let known = try await services.database.read { tx in
            try IdentityProviderQueries.providers(of: app, in: tx)[provider]
        }
        guard var configuration = known else {
            throw Refusal.parameter("idp", "The app has no such identity provider.")
        }
        let version = configuration.version
        configuration.isEnabled = true
        return (configuration, version)
    }

    /// A test asks the provider itself, and nothing that logins remember of it.
    ///
    /// - Throws: ``IdentityFailure``.
    func test(
        of provider: Provider, _ configuration: ProviderConfiguration, region: String?, callback: String
    ) throws -> ProviderTest {
        let observations = ProviderObservations()
        let providers = ProviderVerification(
            environment: observations.watching(services.environment), vault: services.vault,
            onOutage: observations.add)
        return ProviderTest(
            client: try providers.client(for: provider, configuration, region: region, in: app.id),
            providers: providers, observations: observations, callback: callback, moment: moment,
            mostSeconds: services.environment.providerSeconds)
    }
}

extension ProviderConfiguration {
    /// The address to which the provider sends browsers back.
    ///
    /// - Parameter origin: the address at which players reach the server.
    func callback(of provider: Provider, in app: AppID, at origin: String) -> String {
        callbackURL ?? origin + Endpoints.path(Endpoints.callback, of: provider, app: app)
    }
}

/// What an operator's last test of an identity provider has found.
package struct ProviderTestRecord: Sendable, Hashable {
    package let findings: [ProviderFinding]
    /// The settings that were tested (``ProviderConfiguration/version``).
    package let version: String
    package let person: String
    package let date: Moment

    /// Whether these settings have passed it: something was fine, and nothing was wrong.
    func isPassed(by configuration: ProviderConfiguration?) -> Bool {
        version == configuration?.version && findings.contains(where: \.isFine) && !findings.contains(where: \.isWrong)
    }
}

/// Table `provider_tests`, which has the last test of each provider.
enum ProviderTestQueries {
    static func set(_ test: ProviderTestRecord, of provider: Provider, app: AppID, in tx: Transaction) throws {
        let findings = try JSONText.write(test.findings)
        try tx.execute(
            """
            INSERT INTO provider_tests (app_id, idp, findings, version, person, tested_at)
            VALUES (
                \(app), \(provider), \(findings), \(test.version), \(test.person), \(test.date))
            ON CONFLICT (app_id, idp) DO UPDATE SET
                findings = excluded.findings, version = excluded.version, person = excluded.person,
                tested_at = excluded.tested_at
            """)
    }

    static func tests(of app: AppID, in tx: Reader) throws -> [Provider: ProviderTestRecord] {
        let rows = try tx.rows(
            "SELECT idp, findings, version, person, tested_at FROM provider_tests WHERE app_id = \(app)"
        ) { row -> (Provider, ProviderTestRecord) in
            let findings: String = try row[1]
            return (
                try row[0],
                ProviderTestRecord(
                    findings: try JSONText.read(findings), version: try row[2], person: try row[3], date: try row[4])
            )
        }
        return Dictionary(rows) { _, last in last }
    }
}

/// Reads what an OpenID Connect provider says of itself, for settings that are not saved yet.
package struct LookUpIssuer: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let provider: Provider
    let issuer: String
    /// The fake world that stands for the provider, for development.
    let origin: String?
    let trustedCertificates: [String]

    package init(provider: Provider, issuer: String, origin: String?, trustedCertificates: [String]) {
        self.provider = provider
        self.issuer = issuer
        self.origin = origin
        self.trustedCertificates = trustedCertificates
    }

    package enum Outcome: Sendable {
        case found(Discovery.Document)
        /// The issuer is no https address.
        case noAddress
        /// It is an address of this machine or of its networks (NET-1).
        case notPublic
        case failed(why: String)
    }

    package func perform(_ work: Work) async throws -> Outcome {
        guard (1...512).contains(issuer.utf8.count), OutgoingRequest.isAllowed(issuer) else { return .noAddress }
        if let origin, !OutgoingRequest.isLocal(origin) { return .noAddress }
        // A client id is not asked for here, but no client is without one.
        var configuration = ProviderConfiguration(kind: .openID, clientIds: ["gatehouse"])
        configuration.openID?.issuer = issuer
        configuration.openID?.trustedCertificates = trustedCertificates.isEmpty ? nil : trustedCertificates
        configuration.origin = origin
        let test = try work.test(of: provider, configuration, region: nil, callback: "")
        do {
            guard let document = try await test.client.endpoints() else { return .noAddress }
            return .found(document)
        } catch let failure as IdentityFailure {
            let cause = test.observations.outage?.cause
            if failure == .notPublic || cause == OutgoingFailure.privateAddress.words { return .notPublic }
            return .failed(why: cause.map { "\(failure.words): \($0)" } ?? failure.words)
        }
    }
}
