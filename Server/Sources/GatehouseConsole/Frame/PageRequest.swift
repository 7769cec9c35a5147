import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// One request of a person who is signed in: who it is, what the address says, and how the person wants to read.
struct PageRequest: Sendable {
    let console: Console
    let request: Request
    let context: ConsoleContext
    var token: OperatorToken
    private(set) var session: OperatorSession
    let words: Words
    /// Times in the person's zone, or else in the app's.
    private(set) var local: LocalTime
    /// The fields of the address.
    let query: FormValues
    /// The names of those who may see the app, on a page that marks them where a note mentions them.
    var people: Set<String> = []
    /// The app that the address names, with the person's role in it.
    private(set) var place: (app: App, role: OperatorRole)?

    var person: Operator { session.person }
    var moment: Moment { local.now }
    var actions: Actions { console.actions }
    var formToken: String { Console.formToken(of: token) }

    /// An answer with which the browser goes on in a session that has replaced this one.
    func goingOn(with token: OperatorToken, _ response: Response) -> Response {
        console.sessions.forget(self.token)
        var response = response
        response.headers.append(HTTPField(name: .setCookie, value: Console.cookieField(token)))
        return response
    }

    /// Makes an app the one that the page is about.
    mutating func enter(_ app: App, as role: OperatorRole) {
        place = (app, role)
        if let zone = app.policy.timeZone, person.preferences.zone == nil {
            local = LocalTime(zone: zone, now: moment, words: words)
        }
    }

    /// Goes on in the session that a new sign-in has begun, in the roles that the person has now.
    mutating func renew(_ session: OperatorSession) throws {
        self.session = session
        guard let app = place?.app else { return }
        guard let role = session.person.role(in: app.id) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        place = (app, role)
    }

    /// A segment of the address; empty for one that no text of a database can be.
    func segment(_ name: String) -> String {
        let text = context.parameters.get(name)?.percentDecoded ?? ""
        return text.utf8.contains(0) ? "" : text
    }

    /// The app of the address. A page of an app has one; without it there is no such page.
    func app() throws -> App {
        guard let place else { throw Refusal(.notSupported, "There is no such page.") }
        return place.app
    }

    /// The person's role: in the app, or else on the server.
    var role: OperatorRole { place?.role ?? person.serverRole ?? .viewer }

    func may(_ least: OperatorRole) -> Bool { role >= least }

    /// Whether the person may see what identifies a player at a provider.
    var seesSubjects: Bool { role >= .support }

    /// An address below the app's, or below the console's own on a page that concerns no app.
    func address(_ path: String) -> String {
        guard place != nil else { return path.isEmpty ? Console.prefix : "\(Console.prefix)/\(path)" }
        return
            "\(Console.prefix)/apps/\(FormValues.encoded(place?.app.id.rawValue ?? ""))\(path.isEmpty ? "" : "/")\(path)"
    }

    /// Runs an action on the app, or on the server as a whole, in the person's role there.
    func run<A: UseCase>(_ action: A, confirmation: ActionConfirmation? = nil, reason: String? = nil) async throws
        -> A.Outcome
    {
        try await actions.run(
            action,
            by: .operator(
                person, as: place?.role ?? person.serverRole, confirmation: confirmation, reason: reason),
            in: callContext)
    }

    private var callContext: CallContext {
        let (address, transactionID) = (context.source.address, context.source.transactionID)
        guard let app = place?.app else {
            return .ofServer(
                languages: [words.language], moment: moment, address: address, transactionID: transactionID)
        }
        return CallContext(
            app: app, languages: [words.language], moment: moment, address: address, transactionID: transactionID)
    }

    /// Who looks at an action, where, and when.
    func operatorContext() -> OperatorContext {
        OperatorContext(
            call: callContext, actor: .operator(person, as: role), services: actions.services,
            formLanguages: Words.languages)
    }

    /// Runs an action that concerns no app, in the person's role on the server.
    func run<A: ServerAction>(_ action: A, confirmation: ActionConfirmation? = nil, reason: String? = nil) async throws
        -> A.Outcome
    {
        try await actions.run(
            action, by: .operator(person, as: person.serverRole, confirmation: confirmation, reason: reason), at: moment
        )
    }

    /// The same address with another value of one of its fields, or without it.
    func address(with name: String, _ value: String?) -> String { address(with: [name: value]) }

    func address(with values: [String: String?]) -> String {
        var query = query
        for (name, value) in values { query[name] = value }
        let fields = query.encoded
        return request.uri.path + (fields.isEmpty ? "" : "?\(fields)")
    }
}
