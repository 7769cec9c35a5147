package import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// What a test of a provider's login with a browser has shown.
package struct TestLoginResult: Codable, Sendable, Hashable {
    /// Nil for a login that has failed.
    package var sample: LoginSample?
    package var failure: Failure?

    package struct Failure: Codable, Sendable, Hashable {
        /// The word that a game would get (``LoginReturn/error``).
        package let word: String
        /// The reason, for operators.
        package let words: String
        /// What the provider itself has said.
        package let said: String?
        /// What a test of the settings finds wrong: most likely the cause.
        package let findings: [ProviderFinding]
    }
}

/// Begins a login with a browser that an operator makes to see what a provider answers. It makes no member and no session, and keeps no
/// token. It works for a provider that is switched off.
package struct BeginTestLogin: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let provider: Provider
    let region: String?
    /// The only one who may see the result.
    let person: OperatorID
    /// The address at which players reach the server. The provider knows the callback under this address.
    let publicURL: String
    /// Where the browser goes on in the end. The test's id is appended as a segment.
    let results: String

    package init(provider: Provider, region: String?, person: OperatorID, publicURL: String, results: String) {
        self.provider = provider
        self.region = region
        self.person = person
        self.publicURL = publicURL
        self.results = results
    }

    package struct Departure: Sendable {
        package let id: String
        /// The provider's page; nil if the provider could not be asked for it. Then there is a result already.
        package let url: String?
    }

    package func perform(_ work: Work) async throws -> Departure {
        let (configuration, _) = try await work.testedSettings(of: provider)
        guard configuration.description.authorization != nil else {
            throw Refusal.parameter("provider", "This identity provider has no login with a browser.")
        }
        let random = work.services.random
        let state = SplitToken(id: TimeOrderedID.session(at: work.moment, random: random).rawValue, random: random)
        let callback = configuration.callback(of: provider, in: work.app.id, at: publicURL)
        var plan = LoginAttemptRules.Plan(
            login: LoginAttemptRules.login(state, back: callback, random: random), target: "\(results)/\(state.id)",
            region: region, tester: person)
        var (url, result): (String?, TestLoginResult?)
        do {
            let info = try AdditionalInfo(configuration)
            plan.region = try region ?? info.region() ?? configuration.onlyRegions.first
            let test = try work.test(of: provider, configuration, region: plan.region, callback: callback)
            let page = try AuthorizationPage(of: test.client, info)
            (url, result) = try await work.tried(test) {
                try await page.url(for: plan.login)
            }
        } catch let failure as IdentityFailure {
            result = TestLoginResult(failure: .init(failure))
        }
        try await work.transact { [plan, result] change, tx in
            try LoginAttemptRules.begin(plan, state: state, provider, on: nil, change, in: tx)
            if let result {
                try LoginAttemptRules.tested(
                    state.id, app: change.app.id, result, from: .open, vault: change.vault, at: change.moment, in: tx)
            }
        }
        return Departure(id: state.id, url: url)
    }
}

extension CompleteBrowserLogin {
    /// Takes an operator's browser back. What has come goes to the page of the test, and nothing else is kept.
    func completeTest(_ plan: LoginAttemptRules.Plan, _ state: SplitToken, _ work: Work) async throws -> Arrival {
        do {
            try await show(try await tested(plan, work), state, work)
        } catch {
            // The browser has gone, or the database has not answered. It is best effort.
            try? await show(TestLoginResult(failure: .brokenOff), state, work)
            throw error
        }
        return Arrival(url: plan.target, failure: nil)
    }

    private func tested(_ plan: LoginAttemptRules.Plan, _ work: Work) async throws -> TestLoginResult {
        let (configuration, _) = try await work.testedSettings(of: provider)
        do {
            let test = try work.test(
                of: provider, configuration, region: plan.region, callback: plan.login.redirectUri ?? "")
            let (sample, failed) = try await work.tried(test, said: said) {
                let (code, credential) = try await arrived(plan, test.client)
                return try await test.providers.sample(
                    of: code, plan.login, test.client, credential, at: work.moment)
            }
            return failed ?? TestLoginResult(sample: sample)
        } catch let failure as IdentityFailure {
            return TestLoginResult(failure: .init(failure))
        }
    }

    /// Stores what the page of the test shows.
    private func show(_ result: TestLoginResult, _ state: SplitToken, _ work: Work) async throws {
        let vault = work.services.vault
        try await Self.finishing {
            try await work.decide { change, tx in
                try LoginAttemptRules.tested(
                    state.id, app: change.app.id, result, from: .returned, vault: vault, at: change.moment, in: tx)
            }
        }
    }

    /// The error with which the provider has sent the browser back (RFC 6749 section 4.1.2.1).
    private var said: String? {
        parameters["error"].map { error in
            let words = [error, parameters["error_description"]].compactMap { $0 }.joined(separator: ": ")
            return String(words.unicodeScalars.filter { $0.value != 0 }.prefix(300).map(Character.init))
        }
    }
}

extension Work {
    /// Runs a step of a test login. If it fails, a test of the settings looks for the cause.
    ///
    /// - Throws: whatever is not an ``IdentityFailure``.
    fileprivate func tried<Value: Sendable>(
        _ test: ProviderTest, said: String? = nil, _ step: () async throws -> Value
    ) async throws -> (Value?, TestLoginResult?) {
        do {
            return (try await step(), nil)
        } catch let failure as IdentityFailure {
            let findings: [ProviderFinding] =
                switch failure {
                // A provider that can't be asked would let each step of a test wait again.
                case .cancelled, .unavailable: []
                default: await test.findings().filter(\.isWrong)
                }
            let outage = failure == .unavailable ? test.observations.outage : nil
            let words = outage.map { "\(failure.words): \($0.host): \($0.cause)" } ?? failure.words
            return (
                nil,
                TestLoginResult(
                    failure: .init(word: failure.word, words: words, said: said, findings: findings))
            )
        }
    }
}

extension TestLoginResult.Failure {
    fileprivate init(_ failure: IdentityFailure) {
        self.init(word: failure.word, words: failure.words, said: nil, findings: [])
    }

    /// A test that has not come to its end.
    fileprivate static let brokenOff = Self(
        word: IdentityFailure.unavailable.word, words: "the browser did not wait for the result, or the server failed",
        said: nil, findings: [])
}

extension ProviderConfiguration {
    /// The regions of a provider that has no other channel, in order.
    fileprivate var onlyRegions: [String] { clientIds.isEmpty ? (regions ?? [:]).keys.sorted() : [] }
}

/// Reads what an operator's own test of a login with a browser has shown.
package struct ReadTestLogin: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let id: String
    let provider: Provider
    let person: OperatorID

    package init(id: String, provider: Provider, person: OperatorID) {
        self.id = id
        self.provider = provider
        self.person = person
    }

    package enum State: Sendable {
        /// The browser has not come back yet.
        case waiting(until: Moment)
        /// The time in which it could come back, or be looked at, is over.
        case over
        /// - Parameter owner: the member that has this identity already.
        case shown(TestLoginResult, owner: UserID?)
    }

    /// Returns nil for a test that is unknown, deleted, or another operator's.
    package func perform(_ work: Work) async throws -> State? {
        let (app, moment) = (work.app.id, work.moment)
        return try await work.services.database.read { [self, vault = work.services.vault] tx in
            guard
                let test = try LoginAttemptRules.test(id, provider, of: person, app: app, vault: vault, in: tx)
            else { return nil }
            guard moment < test.endsAt else { return .over }
            guard let result = test.result else { return .waiting(until: test.endsAt) }
            return .shown(
                result,
                owner: try result.sample.flatMap { try MemberQueries.owner(of: $0.identity, app: app, in: tx) })
        }
    }
}
