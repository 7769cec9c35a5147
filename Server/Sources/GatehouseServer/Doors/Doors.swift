import GatehouseConsole
import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Every door of the server, and the way to each. A new door gets a function here: its router with authentication, error form, admission
/// and routes.
struct Doors {
    let services: Services
    let configuration: ServerConfiguration
    let metrics: ServerMetrics
    let readiness: Readiness
    let devClock: DevClockRoute?
    /// The address of the fake identity providers, in development.
    let fakeWorld: (@Sendable () -> String)?

    private var actions: Actions { Actions(services: services) }
    private var environment: ServerEnvironment { services.environment }

    private var gamebaseErrors: GamebaseErrorForm { GamebaseErrorForm(now: environment.now) }

    private var requests: RequestReader {
        RequestReader(
            directory: services.directory, now: environment.now, trustedProxies: configuration.trustedProxies)
    }

    func responder() -> some HTTPResponder<GatehouseContext> {
        let (inFlight, inConsole) = (RequestsInFlight(), RequestsInFlight())
        metrics.registry.collect { [metrics] in metrics.inFlight(inFlight.count + inConsole.count) }
        let admission = Admission(requests: inFlight, limit: configuration.maximumRequests)
        var doors = [
            Door(prefix: "/v1/", responder: contract(admission), form: ContractErrorForm()),
            Door(prefix: ServerAPI.prefix, responder: gamebase(admission), form: gamebaseErrors),
        ]
        if let console = configuration.console {
            doors.append(
                Door(prefix: Console.prefix, responder: self.console(console, inConsole), form: ContractErrorForm()))
        }
        let frame = RequestFrame(
            next: DoorSwitch(
                doors: doors,
                other: operations(Admission(requests: inFlight, limit: nil)), malformed: ContractErrorForm()),
            environment: environment, metrics: metrics, isReachedByHTTPSOnly: configuration.isReachedByHTTPSOnly)
        return RequestTask(next: frame)
    }

    /// Players, game servers, browsers that come back from a provider's page, and providers' reports.
    private func contract(_ admission: Admission) -> some HTTPResponder<GatehouseContext> {
        let router = router(ContractErrorForm(), admission)
        let proofs = ProofGate(
            tokens: services.tokens, verifier: ProofVerifier(origins: configuration.publicOrigins),
            limits: services.limits)
        ContractDoor(actions: actions, requests: requests, authenticate: proofs.admit)
            .addPlayerRoutes(to: router.group())
        ContractDoor(actions: actions, requests: requests, authenticate: SecretKeyGate(uses: services.secretUses).admit)
            .addGameServerRoutes(to: router.group())
        IssuerRoute(requests: requests, issuer: services.issuer).add(to: router)
        CallbackRoute(actions: actions, requests: requests).add(to: router)
        ReportRoute(actions: actions, requests: requests, origins: configuration.publicOrigins).add(to: router)
        return router.buildResponder()
    }

    /// Gamebase's Server API.
    private func gamebase(_ admission: Admission) -> some HTTPResponder<GatehouseContext> {
        let router = router(gamebaseErrors, admission)
        ServerAPI(actions: actions, requests: requests).addRoutes(to: router)
        return TokenInPath(next: router.buildResponder())
    }

    /// The operators' console.
    ///
    /// - Parameter requests: the console's own, so that operators' clicks take no player's place, and players take none of theirs.
    private func console(
        _ settings: ServerConfiguration.Console, _ requests: RequestsInFlight
    ) -> some HTTPResponder<GatehouseContext> {
        var forPages = ConsoleSettings(
            networks: settings.networks, origins: configuration.publicOrigins, entry: settings.entry)
        forPages.admit = { next in try await requests.admit(upTo: settings.maximumRequests, next) }
        forPages.facts = ServerFacts(configuration)
        forPages.pagesPerSecond = settings.pagesPerSecond
        let console = Console(actions: actions, settings: forPages, environment: environment)
        return ConsoleDoor(
            next: console.responder(), trustedProxies: configuration.trustedProxies, hasTLS: configuration.tls != nil,
            believesLoopback: settings.believesLoopback || !configuration.mayHideProxy, notFound: ContractErrorForm())
    }

    /// The start page, health, metrics, the contract's document, and the page at the end of a login. They are answered under any load.
    private func operations(_ admission: Admission) -> some HTTPResponder<GatehouseContext> {
        let router = router(ContractErrorForm(), admission)
        StartRoute(configuration: configuration, fakeWorld: fakeWorld).add(to: router)
        HealthRoutes(services: services, readiness: readiness).add(to: router)
        OpenAPIRoute().add(to: router)
        MetricsRoute(
            metrics: metrics, readers: configuration.metricsReaders, trustedProxies: configuration.trustedProxies,
            believesLoopback: configuration.metricsBelieveLoopback || !configuration.mayHideProxy
        ).add(to: router)
        LoginPageRoute().add(to: router)
        devClock?.add(to: router)
        return router.buildResponder()
    }

    private func router(_ form: some ErrorForm, _ admission: Admission) -> Router<GatehouseContext> {
        let router = Router(context: GatehouseContext.self)
        router.add(middleware: ErrorResponder(form: form, services: services))
        router.add(middleware: admission)
        return router
    }
}
