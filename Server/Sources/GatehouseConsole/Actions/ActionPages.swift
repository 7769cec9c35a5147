import Crypto
import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

extension Console {
    /// Every change: one page with its form and what will happen, then its result.
    static func addActions(to pages: Pages) {
        pages.app("/do/:action") { page in try await page.begin(page.namedAction()) }
        pages.server("/do/:action", as: .viewer) { page in try await page.begin(page.namedAction()) }
        // What answers a form has an address that leads back to the form when it is opened by itself.
        for step in ["check", "undo"] {
            pages.app("/do/:action/\(step)") { page in
                Console.redirect(to: page.actionAddress(try page.namedAction(), page.query.all))
            }
            pages.server("/do/:action/\(step)", as: .viewer) { page in
                Console.redirect(to: page.actionAddress(try page.namedAction(), page.query.all))
            }
        }
        // How long their fields may be depends on the action (``OwnForm/fieldBytes``).
        let most = FormValues.maximumBytes
        pages.appForm("/do/:action/check", fieldBytes: most) { page, form in
            try await page.check(page.namedAction(), form)
        }
        pages.serverForm("/do/:action/check", as: .viewer, fieldBytes: most) { page, form in
            try await page.check(page.namedAction(), form)
        }
        pages.appForm("/do/:action/undo") { page, form in try await page.undoAtOnce(by: page.namedAction(), form) }
        pages.serverForm("/do/:action/undo", as: .viewer) { page, form in
            try await page.undoAtOnce(by: page.namedAction(), form)
        }
        pages.appForm("/do/:action", fieldBytes: most) { page, form in
            try await page.perform(page.namedAction(), form)
        }
        pages.serverForm("/do/:action", as: .viewer, fieldBytes: most) { page, form in
            try await page.perform(page.namedAction(), form)
        }
    }

    /// Continues with a form whose session had ended: its page, with everything that was typed.
    func resume(_ kept: KeptForm, _ page: PageRequest) async throws -> Response? {
        let parts = kept.path.parts(at: "/").map(String.init)
        var values = FormValues(kept.fields)
        // It was sent: a box that is not ticked was unticked.
        values["token"] = page.formToken
        if parts.count >= 3, parts[1] == "do", let action = OperatorActions.named[parts[2]], action.about.isOfServer {
            guard let role = page.person.serverRole, role >= action.about.role else { return nil }
            return try await page.check(action, values)
        }
        guard parts.count >= 5, parts[1] == "apps", parts[3] == "do", let action = OperatorActions.named[parts[4]],
            !action.about.isOfServer
        else { return nil }
        let id = AppID(parts[2].percentDecoded ?? "")
        guard let role = page.person.role(in: id), role >= action.about.role,
            let app = try? await actions.context(of: id, at: page.moment).app
        else { return nil }
        var page = page
        page.enter(app, as: role)
        return try await page.check(action, values)
    }
}

extension PageRequest {
    /// The address of an action's form, or of a step that answers it.
    func actionAddress(
        _ action: any OperatorAction.Type, _ fields: [String: String] = [:], _ step: String = ""
    ) -> String {
        let query = FormValues(fields).encoded
        return address("do/\(action.about.name)\(step)") + (query.isEmpty ? "" : "?\(query)")
    }

    /// A value that makes a form count once.
    ///
    /// The answer to a live page's script has none, because the script takes no form from it, and it would differ each time.
    func once() -> String { isLive ? "" : Base64URL.encode(console.random.bytes(16)) }

    fileprivate func namedAction() throws -> any OperatorAction.Type {
        guard let action = OperatorActions.named[segment("action")], action.about.isOfServer == (place == nil) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        guard role >= action.about.role else {
            console.actions.noteRefusedAction(
                action.about.name, by: person, in: place?.app.id, at: context.source.address)
            throw noPermission(action.about.role)
        }
        return action
    }

    /// The form as its address fills it in. What would happen is shown at once, unless something is missing for it.
    fileprivate func begin(_ action: any OperatorAction.Type) async throws -> Response {
        do {
            let fields = try await fields(of: action, query)
            var page = ActionPage(action, query, fields: filled(fields, query))
            if fields.isEmpty {
                page.forecast = try await forecast(of: action, query)
            } else if let (values, forecast) = try await firstForecast(of: page) {
                page = ActionPage(action, values, fields: filled(fields, values))
                page.forecast = forecast
            }
            return try await show(page)
        } catch {
            return try impossible(action, query, error)
        }
    }

    /// The page of a change that can't be done, whatever is chosen: why, with the code, and the way back.
    ///
    /// - Throws: the error, if it says something else.
    private func impossible(_ action: any OperatorAction.Type, _ values: FormValues, _ error: any Error) throws
        -> Response
    {
        guard let known = error as? Refusal, known.status == 400, known.code == .invalidParameter else { throw error }
        let refusal = console.refusal(for: known, context)
        var page = Page(words("deed.\(action.about.name)"), section: action.about.section)
        page.crumbs = crumbs(of: action, values)
        if request.method == .post { page.here = page.crumbs.last?.address }
        page.status = .badRequest
        return show(page) {
            console.explanation(of: refusal, request, context, words, unanswered: nil)
        }
    }

    /// What would happen with what a form has at first, and that with what the server chooses; nil as long as that can't be done.
    private func firstForecast(of page: ActionPage) async throws -> (FormValues, ActionForecast)? {
        do {
            var values = page.values
            for field in page.sent.all { values[field.key] = field.value }
            values = try await sealed(for: page.action, values)
            return (values, try await forecast(of: page.action, values))
        } catch is InputProblems {
            return nil
        } catch is SecretProblems {
            return nil
        } catch let refusal as Refusal where refusal.status < 500 {
            return nil
        }
    }

    /// The page with what will happen, for what was typed.
    func check(_ action: any OperatorAction.Type, _ sent: FormValues) async throws -> Response {
        try requireFields(of: action, sent)
        var values = sent
        do {
            try requireReadable(sent)
            values = try await sealed(for: action, sent)
            return try await show(action, values, forecast(of: action, values))
        } catch {
            return try await form(of: action, values, after: error)
        }
    }

    /// The state of the target, and then what would happen to it: a change between both is noticed when it is done.
    func forecast(of action: any OperatorAction.Type, _ values: FormValues) async throws -> ActionForecast {
        let state = try await run(.state(of: target(of: action, values)))
        return ActionForecast(seen: state.version, preview: try await preview(of: action, values))
    }

    /// The form again, with what was typed and what is wrong with it, or why it can't be done with any other value of a field.
    ///
    /// - Throws: the error, if it is about something else.
    func form(of action: any OperatorAction.Type, _ sent: FormValues, after error: any Error) async throws -> Response {
        do {
            return try await filledForm(of: action, sent, after: error)
        } catch {
            return try impossible(action, sent, error)
        }
    }

    /// The form with what was typed. Secrets come back sealed, and none in the page.
    ///
    /// - Throws: the error, if no other value of a field would help.
    private func filledForm(of action: any OperatorAction.Type, _ sent: FormValues, after error: any Error) async throws
        -> Response
    {
        var values = sent
        var problems: [String: String] = [:]
        do {
            values = try await sealed(for: action, sent)
        } catch let failure as SecretProblems {
            values = failure.values
            problems = failure.problems
        }
        let fields: [Field]
        switch error {
        case is SecretProblems: fields = try await self.fields(of: action, values)
        case let failure as InputProblems:
            fields = try await self.fields(of: action, values)
            problems.merge(failure.phrases.mapValues(text)) { $1 }
        case let refusal as Refusal where refusal.status == 400 && refusal.code == .invalidParameter:
            fields = try await self.fields(of: action, values)
            guard let first = fields.first else { throw error }
            // The contract's parameter may have a longer name than the field: `templateCode` is the field `template`.
            let parameter = refusal.details.parameter ?? first.name
            let names = fields.map(\.name)
            let own = (action as? any OwnForm.Type)?.field(about: parameter, among: names)
            let name = own ?? names.first { parameter.begins(with: $0) } ?? first.name
            problems[name] = words.problem(refusal, at: parameter)
        default: throw error
        }
        var page = ActionPage(action, values, fields: filled(fields, values))
        page.problems = problems
        return try await show(page)
    }

    /// How long a field of an action's form may be.
    static func fieldBytes(of action: any OperatorAction.Type) -> Int {
        (action as? any OwnForm.Type)?.fieldBytes ?? FormValues.fieldBytes
    }

    /// - Throws: 3 for a field that is longer than the action takes. The secrets of a page before have a limit of their own.
    func requireFields(of action: any OperatorAction.Type, _ form: FormValues) throws {
        try form.requireFields(upTo: Self.fieldBytes(of: action), but: [Self.sealedField])
    }

    /// - Throws: ``InputProblems`` for fields whose bytes are no text.
    func requireReadable(_ form: FormValues) throws {
        guard form.unreadable.isEmpty else {
            throw InputProblems(Dictionary(uniqueKeysWithValues: form.unreadable.map { ($0, "problem.unreadable") }))
        }
    }

    /// Where a form of an action is sent. The address names the target, so that it leads back to the form when it is opened by itself.
    func formAddress(of action: any OperatorAction.Type, _ values: FormValues, _ step: String = "") -> String {
        let target = (try? target(of: action, values))?.fields.filter { !$0.value.isEmpty }
        return actionAddress(action, target ?? [:], step)
    }

    /// The form with its values, as ``Page/again`` has it. It is sent as a field, and stands in no address.
    func again(_ action: any OperatorAction.Type, _ values: FormValues) -> String {
        let kept = values.all.filter {
            (!ActionPage.ownFields.contains($0.key) || ActionPage.reasonFields.contains($0.key))
                && !KeptForm.isSecret($0.key)
        }
        return address("do/\(action.about.name)/check") + "?\(FormValues(kept).encoded)"
    }

    /// Where the form can be opened again. Only the target stands in the address, because a form may hold a provider's secret.
    func here(_ action: any OperatorAction.Type, _ values: FormValues) -> String {
        switch try? target(of: action, values) {
        case .member(let user): actionAddress(action, ["user": user.rawValue])
        case .provider(let provider): actionAddress(action, ["provider": provider.rawValue])
        default: address(action.about.sectionPath)
        }
    }

    func crumbs(of action: any OperatorAction.Type, _ values: FormValues) -> [Link] {
        var crumbs = [Link(words("nav.\(action.about.section)"), address(action.about.sectionPath))]
        if case .member(let user)? = try? target(of: action, values), !user.rawValue.isEmpty {
            crumbs.append(Link(user.rawValue, address("members/\(FormValues.encoded(user.rawValue))")))
        }
        return crumbs
    }
}

/// Says that the server has shown to a person what an action will do, for certain values and in a certain state of its target. The page
/// has it sealed, and sends it with the change, so that nothing is done that was not shown.
struct ShownAction: Codable, Sendable {
    let digest: String
}

extension PageRequest {
    /// - Parameter values: what the browser sends, if nobody changes the form.
    func confirmation(of action: any OperatorAction.Type, _ values: FormValues, seen: String) throws -> String {
        try actions.sealForm(ShownAction(digest: digest(of: action, values, seen: seen)), at: moment)
    }

    /// Whether the person was shown what a form does, as it was sent.
    func isConfirmed(_ action: any OperatorAction.Type, _ form: FormValues) -> Bool {
        guard let seen = form["seen"], let text = form["shown"], text.utf8.count <= 1_000,
            let confirmation: ShownAction = actions.openForm(text, at: moment)
        else { return false }
        return confirmation.digest == digest(of: action, form, seen: seen)
    }

    /// A text that changes with each value, but not with the reason.
    private func digest(of action: any OperatorAction.Type, _ values: FormValues, seen: String) -> String {
        var parts = [action.about.name, person.id.rawValue, place?.app.id.rawValue ?? "", seen]
        for name in values.all.keys.sorted() where !ActionPage.ownFields.contains(name) && !Self.isOfSecrets(name) {
            guard let value = values[name] else { continue }
            parts += [name, value]
        }
        // Each page seals the same secrets to other bytes, so the secrets themselves are compared.
        let secrets = secretChanges(in: values)
        for (name, secret) in secrets.values.sorted(by: { $0.key < $1.key }) { parts += [name, secret] }
        parts += secrets.removed.sorted()
        // The length before each part keeps two lists of parts apart.
        let text = parts.map { "\($0.utf8.count) \($0)" }.joined()
        return Base64URL.encode(Array(SHA256.hash(data: Data(text.utf8))))
    }

    private static func isOfSecrets(_ name: String) -> Bool {
        name == sealedField || name.begins(with: "secret.") || name.begins(with: "remove.")
    }
}
