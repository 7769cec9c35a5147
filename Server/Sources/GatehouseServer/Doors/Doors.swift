import GatehouseConsole
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

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
        let frame = RequestMiddleware(
            next: DoorSwitch(
                doors: doors,
                other: operations(Admission(requests: inFlight, limit: nil)), malformed: ContractErrorForm()),
            environment: environment, metrics: metrics, isReachedByHTTPSOnly: configuration.isReachedByHTTPSOnly)
        return RequestTask(next: frame)
    }

    /// Players, game servers, browsers that come back from a provider's page, and providers' reports.
    private func contract(_ admission: Admission) -> some HTTPResponder<GatehouseContext> {
        let router = router(ContractErrorForm(), admission)
        let proofs = ProofAuthenticator(
            tokens: services.tokens, verifier: ProofVerifier(origins: configuration.publicOrigins),
            limits: services.limits)
        ContractDoor(actions: actions, requests: requests, authenticate: proofs.admit)
            .addPlayerRoutes(to: router.group())
        ContractDoor(
            actions: actions, requests: requests, authenticate: SecretKeyAuthenticator(uses: services.secretUses).admit
        )
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

/// A door: a router of its own, with its own authentication, error form and admission.
struct Door: Sendable {
    /// How the paths of the door begin.
    let prefix: String
    let responder: any HTTPResponder<GatehouseContext>
    let form: any ErrorForm
}

/// Passes a request to its door. This is the only place that looks at a path before a router does.
struct DoorSwitch: HTTPResponder {
    let doors: [Door]
    /// The door for every other path.
    let other: any HTTPResponder<GatehouseContext>
    let malformed: any ErrorForm

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        guard Self.isReadable(request) else {
            let refusal = Refusal(
                .invalidParameter, "The request's target or a header has text that no client sends.", httpStatus: 400)
            return refused(refusal, refusal, malformed, context)
        }
        let path = request.head.path ?? ""
        let door = doors.first { path.begins(with: $0.prefix) }
        if !request.expectsAtMostContinue {
            let refusal = Refusal(
                .invalidParameter, "The server meets no other expectation than 100-continue.",
                details: ErrorDetails(parameter: "Expect"), httpStatus: 417)
            return refused(refusal, refusal, door?.form ?? malformed, context)
        }
        if request.hasEncodedBody {
            let error = EncodingNotTaken()
            return refused(error, error.refusal, door?.form ?? malformed, context)
        }
        var request = request
        if request.awaitsContinue {
            request.body = HummingbirdCore.RequestBody(
                asyncSequence: AwaitedBody(body: request.body, ask: context.askForBody))
        }
        return try await (door?.responder ?? other).respond(to: request, context: context)
    }

    /// The answer to a request that is refused for its head. It names no path, which may contain a token.
    private func refused(
        _ error: any Error, _ refusal: Refusal, _ form: any ErrorForm, _ context: GatehouseContext
    ) -> Response {
        context.notes.note(code: refusal.code)
        return form.response(
            to: DoorFailure(error: error, refusal: refusal, path: "", transactionID: context.transactionID))
    }

    /// Whether the target and the host are ASCII, as those of a URL are, and no header has more marks on a letter than
    /// ``CombiningMarks/maximum``. Routers and libraries compare them by `Character` (INP-1).
    private static func isReadable(_ request: Request) -> Bool {
        ASCII.isAll(request.head.path ?? "") && ASCII.isAll(request.head.authority ?? "")
            && request.headers.allSatisfy { field in
                field.withUnsafeBytesOfValue(ASCII.isAll) || CombiningMarks.areFew(in: field.value)
            }
    }
}

/// The body is compressed, or encoded in another way that this server does not read (RFC 9110 section 15.5.16).
struct EncodingNotTaken: RefusalCarrying {
    /// The encodings that are taken.
    static let taken = "identity"

    var refusal: Refusal {
        Refusal(
            .invalidParameter, "The body's Content-Encoding is not taken. Taken is: \(Self.taken).",
            details: ErrorDetails(parameter: "Content-Encoding"), httpStatus: 415)
    }
}

extension Request {
    /// Whether the client waits to be asked for the body (RFC 9110 section 10.1.1). What can be refused by the head is refused first.
    var awaitsContinue: Bool { headers[.expect] != nil }

    fileprivate var expectsAtMostContinue: Bool {
        guard let expected = headers[.expect] else { return true }
        return expected.parts(at: ",").allSatisfy { $0.trimmingSpaces().lowercasedASCII == "100-continue" }
    }

    /// Whether the body is in another form than its type says. Without a body the header means nothing.
    fileprivate var hasEncodedBody: Bool {
        guard let encodings = headers[.contentEncoding], method != .get, headers[.contentLength] != "0" else {
            return false
        }
        return !encodings.parts(at: ",").allSatisfy { $0.trimmingSpaces().lowercasedASCII == EncodingNotTaken.taken }
    }
}

/// A body that its client sends only when it is asked to. Who reads it asks, so nothing that is refused before costs the client a body.
private struct AwaitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: HummingbirdCore.RequestBody
    let ask: @Sendable () -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: HummingbirdCore.RequestBody.AsyncIterator
        var ask: (@Sendable () -> Void)?

        mutating func next() async throws -> ByteBuffer? {
            ask?()
            ask = nil
            return try await body.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), ask: ask) }
}
