package import GatehouseProviders
package import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// What actions work with. There is one value per process.
package struct Services: Sendable {
    var database: Database
    let vault: KeyVault
    package let environment: ServerEnvironment
    let idempotency: Idempotency
    let callsInFlight = CallsInFlight()
    let jobPlaces = JobConcurrency()
    let providers: ProviderVerification
    let usedCredentials = KnownCredentials()
    package let hasher: PasswordHasher
    /// Hashes operators' passwords. It is apart from the players', so that a queue of theirs keeps no operator out.
    package let operatorHasher: PasswordHasher
    let operatorAttempts = OperatorAttempts()
    package let secretUses = SecretUses()
    package let directory: AppDirectory
    package let issuer: TokenIssuer
    package let tokens: AccessTokenReader
    package let limits: CallLimits
    package let reporter: EventReporter
    package let outage = DatabaseOutage()
    /// Calls of players that were refused.
    package let refusals = RefusalLog()
    /// Puts what receivers of alerts are told into words. They are the console's; without them a message has its app alone.
    package var writeAlert: @Sendable (AlertNotice) -> AlertText = { AlertText(subject: $0.app.name, text: "") }

    var random: RandomSource { environment.random }

    /// - Parameter issuerOrigin: the server's own origin, which access tokens name; nil where none are issued.
    package init(
        database: Database, vault: KeyVault, environment: ServerEnvironment, lifetimes: SessionLifetimes = .init(),
        passwordCost: PasswordHash.Cost = .standard, reporter: EventReporter,
        onOutage: @escaping @Sendable (ProviderOutage) -> Void = { _ in }, issuerOrigin: String? = nil
    ) {
        self.database = database
        self.vault = vault
        self.reporter = reporter
        self.environment = environment
        idempotency = Idempotency(vault: vault)
        providers = ProviderVerification(environment: environment, vault: vault, onOutage: onOutage)
        hasher = PasswordHasher(cost: passwordCost)
        operatorHasher = PasswordHasher(cost: passwordCost.forOperators)
        directory = AppDirectory(
            database: database, vault: vault, tokenLifetimeSeconds: lifetimes.accessTokenSeconds,
            monotonicNanoseconds: environment.monotonicNanoseconds)
        issuer = TokenIssuer(lifetimes: lifetimes, issued: IssuedTokens(), origin: issuerOrigin)
        tokens = AccessTokenReader(directory: directory, issued: issuer.issued)
        limits = CallLimits(limiter: RateLimiter(monotonicNanoseconds: environment.monotonicNanoseconds))
    }

    /// Throws ``KeyVaultError`` when the database was written under another master key, so that this is found at the start and not at the
    /// first login.
    package func checkVault() async throws {
        try await database.transact { [vault] tx in try KeyRules.checkVault(vault, in: tx) }
    }

    /// Reports what an action has told after its commit. What an operator has done to an app is looked for by the next request.
    func report(_ pending: PendingEvents, address: ClientAddress? = nil, transactionID: TransactionID? = nil) {
        for event in pending.events where event.event == nil {
            if let app = event.app { directory.forget(app) }
        }
        reporter.report(pending, address: address, transactionID: transactionID)
    }

    /// The work that the server does by itself, when a deadline has passed or a job runs.
    func work(in app: App, at moment: Moment) -> Work {
        Work(services: self, actor: .system, once: .never, context: CallContext(app: app, moment: moment))
    }

    /// Throws unless the database answers.
    package func ping() async throws {
        try await database.ping()
        outage.noteAnswer()
    }
}
