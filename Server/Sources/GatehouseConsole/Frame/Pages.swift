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
        _ path: String, as least: OperatorRole?, _ answer: @escaping @Sendable (PageRequest) async throws -> Response
    ) {
        router.get(RouterPath(Self.full(path))) { [console] request, context in
            let page = try await console.pageRequest(request, context)
            try Self.requireServer(least, page)
            return try await answer(page)
        }
    }

    /// A page about the server's health.
    ///
    /// - Parameter answer: is told whether the database does not answer.
    func health(_ path: String, _ answer: @escaping @Sendable (PageRequest, _ isGone: Bool) async throws -> Response) {
        router.get(RouterPath(Self.full(path))) { [console] request, context in
            let (page, isGone) = try await console.healthRequest(request, context)
            try Self.requireServer(.viewer, page)
            return try await answer(page, isGone)
        }
    }

    /// A form about the whole server, or about the person.
    ///
    /// - Parameter fieldBytes: how long its longest field may be.
    func serverForm(
        _ path: String, as least: OperatorRole?, fieldBytes: Int = FormValues.fieldBytes,
        _ answer: @escaping @Sendable (PageRequest, FormValues) async throws -> Response
    ) {
        router.post(RouterPath(Self.full(path))) { [console] request, context in
            let form = try await console.form(request, context)
            defer { console.frame.forget() }
            return try await console.answer(form, request, context) {
                let page = try await console.pageRequest(request, context, sending: form)
                try Self.requireServer(least, page)
                try form.requireFields(upTo: fieldBytes)
                return try await answer(page, form)
            }
        }
    }

    /// A page of an app.
    ///
    /// - Parameter path: below the app's address.
    func app(
        _ path: String, as least: OperatorRole = .viewer,
        _ answer: @escaping @Sendable (PageRequest) async throws -> Response
    ) {
        router.get(RouterPath(Self.full("/apps/:app\(path)"))) { [console] request, context in
            try await answer(console.appRequest(request, context, as: least))
        }
    }

    /// A form of an app.
    ///
    /// - Parameter fieldBytes: how long its longest field may be.
    func appForm(
        _ path: String, as least: OperatorRole = .viewer, fieldBytes: Int = FormValues.fieldBytes,
        _ answer: @escaping @Sendable (PageRequest, FormValues) async throws -> Response
    ) {
        router.post(RouterPath(Self.full("/apps/:app\(path)"))) { [console] request, context in
            let form = try await console.form(request, context)
            defer { console.frame.forget() }
            return try await console.answer(form, request, context) {
                let page = try await console.appRequest(request, context, as: least, sending: form)
                try form.requireFields(upTo: fieldBytes)
                return try await answer(page, form)
            }
        }
    }

    private static func full(_ path: String) -> String { Console.prefix + path }

    private static func requireServer(_ least: OperatorRole?, _ page: PageRequest) throws {
        guard let least else { return }
        guard let role = page.person.serverRole, role >= least else { throw page.noPermission(least) }
    }
}

extension PageRequest {
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
    /// The request for a page of an app. An app without a grant does not exist.
    fileprivate func appRequest(
        _ request: Request, _ context: ConsoleContext, as least: OperatorRole, sending form: FormValues? = nil
    ) async throws -> PageRequest {
        var page = try await pageRequest(request, context, sending: form)
        let id = AppID(page.segment("app"))
        let noPage = Refusal(.notSupported, page.words("error.no-page"), httpStatus: 404)
        guard let role = page.person.role(in: id) else { throw noPage }
        let app: App
        do {
            app = try await actions.context(of: id, at: page.moment).app
        } catch  where !Self.isGone(error) {
            throw noPage
        }
        page.enter(app, as: role)
        guard role >= least else { throw page.noPermission(least) }
        return page
    }
}

extension Console {
    /// Every page behind the sign-in. A new one gets a line here.
    static func addPages(to pages: Pages) {
        addActions(to: pages)
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
}
