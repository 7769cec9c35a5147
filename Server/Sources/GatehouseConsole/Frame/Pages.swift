import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// Registers pages. Every page says which role it takes, and is reached only by a person who has it.
struct Pages {
    let console: Console
    let router: Router<ConsoleContext>

    init(console: Console, router: Router<ConsoleContext>) {
        self.console = console
        self.router = router
    }

    /// A page about the whole server, or about the person.
    ///
    /// - Parameter least: the role on the server; nil for a page of everybody who is signed in.
    func server(
        _ path: String, as least: OperatorRole?, _ page: @escaping @Sendable (Visit) async throws -> Response
    ) {
        router.get(RouterPath(Self.full(path))) { [console] request, context in
            let visit = try await console.visit(request, context)
            try Self.requireServer(least, visit)
            return try await page(visit)
        }
    }

    /// A page about the server's health.
    ///
    /// - Parameter page: is told whether the database does not answer.
    func health(_ path: String, _ page: @escaping @Sendable (Visit, _ isGone: Bool) async throws -> Response) {
        router.get(RouterPath(Self.full(path))) { [console] request, context in
            let (visit, isGone) = try await console.healthVisit(request, context)
            try Self.requireServer(.viewer, visit)
            return try await page(visit, isGone)
        }
    }

    /// A form about the whole server, or about the person.
    ///
    /// - Parameter fieldBytes: how long its longest field may be.
    func serverForm(
        _ path: String, as least: OperatorRole?, fieldBytes: Int = FormValues.fieldBytes,
        _ page: @escaping @Sendable (Visit, FormValues) async throws -> Response
    ) {
        router.post(RouterPath(Self.full(path))) { [console] request, context in
            let form = try await console.form(request, context)
            defer { console.frame.forget() }
            return try await console.answer(form, request, context) {
                let visit = try await console.visit(request, context, sending: form)
                try Self.requireServer(least, visit)
                try form.requireFields(upTo: fieldBytes)
                return try await page(visit, form)
            }
        }
    }

    /// A page of an app.
    ///
    /// - Parameter path: below the app's address.
    func app(
        _ path: String, as least: OperatorRole = .viewer,
        _ page: @escaping @Sendable (Visit) async throws -> Response
    ) {
        router.get(RouterPath(Self.full("/apps/:app\(path)"))) { [console] request, context in
            try await page(console.appVisit(request, context, as: least))
        }
    }

    /// A form of an app.
    ///
    /// - Parameter fieldBytes: how long its longest field may be.
    func appForm(
        _ path: String, as least: OperatorRole = .viewer, fieldBytes: Int = FormValues.fieldBytes,
        _ page: @escaping @Sendable (Visit, FormValues) async throws -> Response
    ) {
        router.post(RouterPath(Self.full("/apps/:app\(path)"))) { [console] request, context in
            let form = try await console.form(request, context)
            defer { console.frame.forget() }
            return try await console.answer(form, request, context) {
                let visit = try await console.appVisit(request, context, as: least, sending: form)
                try form.requireFields(upTo: fieldBytes)
                return try await page(visit, form)
            }
        }
    }

    private static func full(_ path: String) -> String { Console.prefix + path }

    private static func requireServer(_ least: OperatorRole?, _ visit: Visit) throws {
        guard let least else { return }
        guard let role = visit.person.serverRole, role >= least else { throw visit.noPermission(least) }
    }
}

extension Visit {
    /// The answer to a person whose role is not enough: it names the role that is.
    func noPermission(_ least: OperatorRole) -> Refusal {
        let key =
            place != nil ? "error.role" : person.serverRole != nil ? "error.role-server" : "error.role-server-none"
        return Refusal(
            .userPermission,
            words(key, ["role": words("role.\(least.rawValue)"), "own": words("role.\(role.rawValue)")]),
            httpStatus: 403)
    }
}

extension Console {
    /// The visit of a page of an app. An app without a grant does not exist.
    fileprivate func appVisit(
        _ request: Request, _ context: ConsoleContext, as least: OperatorRole, sending form: FormValues? = nil
    ) async throws -> Visit {
        var visit = try await visit(request, context, sending: form)
        let id = AppID(visit.segment("app"))
        let noPage = Refusal(.notSupported, visit.words("error.no-page"), httpStatus: 404)
        guard let role = visit.person.role(in: id) else { throw noPage }
        let app: App
        do {
            app = try await actions.context(of: id, at: visit.moment).view.app
        } catch  where !Self.isGone(error) {
            throw noPage
        }
        visit.enter(app, as: role)
        guard role >= least else { throw visit.noPermission(least) }
        return visit
    }
}

extension Console {
    /// Every page behind the sign-in. A new one gets a line here.
    static func addPages(to pages: Pages) {
        addDeeds(to: pages)
        addHome(to: pages)
        addStart(to: pages)
        addMe(to: pages)
        addColumns(to: pages)
        addFactor(to: pages)
        addHelp(to: pages)
        addShortcuts(to: pages)
        addFind(to: pages)
        addMembers(to: pages)
        addBans(to: pages)
        addImports(to: pages)
        addGame(to: pages)
        addRules(to: pages)
        addProviders(to: pages)
        addServerPages(to: pages)
        addOverview(to: pages)
        addAlerts(to: pages)
    }

    /// Every kind of change: the table of actions.
    static let deeds: [DeedKind] =
        OperatorActions.all.map { DeedKind($0) } + appDeeds + providerDeeds + operatorDeeds
}
