import Crypto
package import GatehouseCore
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire
import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore

/// How the console is reached.
package struct ConsoleSettings: Sendable {
    /// The networks from which it exists at all.
    package var networks: Networks
    /// The origins at which browsers reach it.
    package var origins: PublicOrigins
    /// For development on this machine: the secret of a link that signs in at once.
    package var entry: String?
    /// What the page about the server's health says of the process.
    package var facts = ServerFacts()
    /// How many pages of one session are answered in a second; 0 for no limit.
    package var pagesPerSecond = 0
    /// Serves a request, or throws if too many are being served.
    package var admit: @Sendable (() async throws -> Response) async throws -> Response = { try await $0() }

    package init(networks: Networks, origins: PublicOrigins, entry: String? = nil) {
        self.networks = networks
        self.origins = origins
        self.entry = entry
    }
}

/// The operator console: pages that the server renders, over the same actions as every other door. It has no rule of its own.
package struct Console: Sendable {
    package static let prefix = "/console"

    let actions: Actions
    let settings: ConsoleSettings
    let now: @Sendable () -> Moment
    let random: RandomSource
    let assets: Assets
    let startedAt: Moment
    let pace: ConsolePace
    let sessions = KnownSessions()
    let frame = FrameFacts()
    let presence = Presence()

    // They are the same for every console of a process, and reading them takes longer than the rest of a server's start.
    private static let readAssets = Assets()

    package init(actions: Actions, settings: ConsoleSettings, environment: ServerEnvironment) {
        self.actions = actions
        self.settings = settings
        now = environment.now
        random = environment.random
        startedAt = environment.now()
        pace = ConsolePace(
            pagesPerSecond: settings.pagesPerSecond, now: environment.monotonicNanoseconds, pause: environment.pause)
        assets = Self.readAssets
    }

    /// The responder for every path that begins with ``prefix``.
    package func responder() -> some HTTPResponder<ConsoleContext> {
        let router = Router(context: ConsoleContext.self)
        router.add(middleware: ConsoleMiddleware(console: self))
        addAssets(to: router)
        addSignIn(to: router)
        let pages = Pages(console: self, router: router)
        Self.addPages(to: pages)
        return router.buildResponder()
    }

    /// The token of a session's forms. Without it no form is taken, and only a page of the session has it (CON-1).
    static func formToken(of session: OperatorToken) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("form".utf8), using: SymmetricKey(data: Data(session.text.utf8)))
        return Base64URL.encode(Array(code))
    }
}

/// A request as the console sees it.
package struct ConsoleContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let source: Source

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        self.source = source
    }

    /// What the server knows of a request before any door.
    package struct Source: RequestContextSource {
        package let logger: Logger
        package let address: ClientAddress
        package let transactionID: TransactionID
        /// Whether a proxy that the operator has not named has forwarded the request.
        package let isForwardedByStranger: Bool
        /// Whether what the browser sends crosses a network unencrypted.
        package let isInTheClear: Bool
        /// Gets the code of each error with which a request is answered.
        let refused: @Sendable (ErrorCode) -> Void

        package init(
            logger: Logger, address: ClientAddress, transactionID: TransactionID, isForwardedByStranger: Bool,
            isInTheClear: Bool, refused: @escaping @Sendable (ErrorCode) -> Void
        ) {
            self.logger = logger
            self.address = address
            self.transactionID = transactionID
            self.isForwardedByStranger = isForwardedByStranger
            self.isInTheClear = isInTheClear
            self.refused = refused
        }
    }
}
