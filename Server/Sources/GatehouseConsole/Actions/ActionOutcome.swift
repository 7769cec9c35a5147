import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// Makes a change once, and shows what came of it.
extension PageRequest {
    func perform(_ action: any OperatorAction.Type, _ form: FormValues) async throws -> Response {
        try requireFields(of: action, form)
        guard let once = form["once"], once.utf8.count <= 64 else { return try await check(action, form) }
        if let response = try await outcome(of: once, action) { return response }
        do {
            return try await perform(action, form, once: once)
        } catch {
            // A page that was sent twice at the same time finds the target changed by its twin.
            if let response = try await outcome(of: once, action) { return response }
            return try await self.form(of: action, form, after: error)
        }
    }

    /// Where a page leads that was sent before; nil if it was not.
    func outcome(of once: String, _ action: any OperatorAction.Type) async throws -> Response? {
        guard let record = try await run(.operatorRecord(once: once, by: person.id)) else { return nil }
        let place =
            switch ActionTarget(record.target) {
            case .member(let user)?: "members/\(FormValues.encoded(user.rawValue))"
            case .provider(let provider)?: "providers/\(FormValues.encoded(provider.rawValue))"
            default: action.about.sectionPath
            }
        return redirect(to: address(place), done: record.id)
    }

    private func perform(_ action: any OperatorAction.Type, _ sent: FormValues, once: String) async throws -> Response {
        let own = sent.unreadable.intersection(ActionPage.confirmationFields)
        if own.count < sent.unreadable.count { try requireReadable(sent) }
        let form = try await sealed(for: action, sent)
        let reason = form["reason"] ?? form["earlierReason"] ?? ""
        var problems = Dictionary(uniqueKeysWithValues: own.map { ($0, words("problem.unreadable")) })
        if action.about.step > .plain, !(4...1_000).contains(reason.unicodeScalars.count) {
            problems["reason"] = words("problem.reason")
        }
        let forecast = try await forecast(of: action, form)
        let preview = forecast.preview
        // Nothing is done that was not shown. What is done without a confirmation has its own forms.
        if max(action.about.step, preview.step) > .plain, !isConfirmed(action, form) {
            return try await show(action, form, forecast, notice: .changed)
        }
        if let typed = preview.typed, form["typed"] != typed { problems["typed"] = words("problem.typed") }
        guard problems.isEmpty else { return try await show(action, form, forecast, problems: problems) }
        let confirmation = confirmed(
            action, try target(of: action, form), ticket: form["ticket"], once: once, seen: form["seen"])
        guard needsSignIn(action, preview) else {
            return try await perform(action, form, confirmation, reason: reason)
        }
        let renewed: PageRequest
        do {
            renewed = try await signedInAgain(form)
        } catch let refusal as Refusal where [403, 429, 503].contains(refusal.status) {
            let problem = console.problem(of: refusal, words)
            return try await show(action, form, forecast, problems: ["password": problem])
        }
        // Whatever comes of it, the browser gets the new session, because the former one has ended.
        var response: Response
        do {
            // The role may be another than at the last sign-in.
            guard renewed.role >= action.about.role else { throw renewed.noPermission(action.about.role) }
            response = try await renewed.perform(action, form, confirmation, reason: reason)
        } catch {
            response = await console.errorPage(
                for: error, request, context, unanswered: console.unanswered(form, request, in: renewed.token))
        }
        response.headers[.setCookie] = Console.cookieField(renewed.token)
        return response
    }

    func confirmed(
        _ action: any OperatorAction.Type, _ target: ActionTarget, ticket: String?, once: String, seen: String?
    )
        -> ActionConfirmation
    {
        var confirmation = ActionConfirmation(
            action: action.about.name, target: target, person: person.id, ticket: ticket.map { String($0.prefix(100)) },
            once: once, seen: seen)
        confirmation.address = context.source.address.description
        confirmation.transactionID = context.source.transactionID.rawValue
        return confirmation
    }

    func perform(
        _ action: any OperatorAction.Type, _ form: FormValues, _ confirmation: ActionConfirmation, reason: String
    ) async throws
        -> Response
    {
        do {
            var confirmation = confirmation
            confirmation.session = session.id
            if let own = action as? any OwnForm.Type, let response = try await own.perform(self, form, confirmation) {
                return response
            }
            let result = try await result(
                of: action, form, confirmation, reason: reason.isEmpty ? action.about.name : reason)
            let address = try address(of: result, action, form)
            guard result.secrets.isEmpty, result.enrolment == nil else {
                return secrets(of: action, form, result, address)
            }
            let record = try await run(.operatorRecord(once: confirmation.once, by: person.id))
            return redirect(to: address, done: record?.id)
        } catch ConfirmationFailure.stale {
            return try await show(action, form, forecast(of: action, form), notice: .stale)
        }
    }

    private func result<A: OperatorAction>(
        of action: A.Type, _ form: FormValues, _ confirmation: ActionConfirmation, reason: String
    ) async throws -> ActionResult {
        try await saying {
            A.result(try await run(self.action(A.self, form), confirmation: confirmation, reason: reason))
        }
    }

    /// Where a result is shown.
    private func address(
        of result: ActionResult, _ action: any OperatorAction.Type, _ form: FormValues
    ) throws -> String {
        if let app = result.app { return "\(Console.prefix)/apps/\(FormValues.encoded(app.rawValue))/start" }
        // The other member may need help as well.
        let query = result.other.map { "?other=\(FormValues.encoded($0.rawValue))" } ?? ""
        return try place(of: action, form) + query
    }

    /// The same request in the session that begins when the person signs in once more.
    private func signedInAgain(_ form: FormValues) async throws -> PageRequest {
        let action = SignInOperator(
            name: person.name, password: form.raw("password"), code: form["code"] ?? "",
            visitor: console.visitor(request, context), replacing: token)
        var page = self
        page.token = try await actions.run(action, by: .console, at: moment).session
        if case .live(let session) = try await run(ReadOperatorSession(token: page.token)) {
            try page.renew(session)
        }
        return page
    }

    /// The link with which an operator enrols.
    private func link(of token: OperatorToken) -> Fact {
        let origin = request.headers[.origin] ?? ""
        return Fact(words("operators.enrol-link"), .code("\(origin)\(Console.prefix)/enrol/\(token.text)"))
    }

    func redirect(to address: String, done id: String?) -> Response {
        let mark = id.map { "\(address.has("?") ? "&" : "?")done=\($0)" } ?? ""
        return Console.redirect(to: address + mark)
    }
}

// What a change has made that is shown now and never again.
extension PageRequest {
    private func secrets(
        of action: any OperatorAction.Type, _ form: FormValues, _ result: ActionResult, _ address: String
    ) -> Response {
        let secrets =
            result.secrets.map { Fact(text($0.label), .code($0.text)) }
            + (result.enrolment.map { [link(of: $0)] } ?? [])
        var page = Page(words("deed.\(action.about.name)"), section: action.about.section)
        page.crumbs = crumbs(of: action, form)
        return show(page) {
            div(.class("card")) {
                p(.class("notice warn"), .role("status")) { words("deed.once") }
                Facts(owner(of: action, form))
                dl(.class("facts once")) {
                    for secret in secrets {
                        dt { secret.label }
                        dd { code(Attribute("data-copy", words("deed.copy"))) { grouped(secret.value.text) } }
                    }
                }
                if let end = result.secretsEnd {
                    Facts([Fact(words("deed.secrets-end"), .time(end, local))])
                }
                Buttons([Link(words("deed.kept"), address, style: "primary")] + next(after: action, form))
            }
        }
    }

    /// What follows when the new secret is in use: an own key of the app replaces the former ones, for the same reason.
    private func next(after action: any OperatorAction.Type, _ form: FormValues) -> [Link] {
        guard action.about.name == CreateSecret.about.name, form["kind"] == "own" else { return [] }
        let reason = form["reason"] ?? form["earlierReason"]
        return [offer(RevokeOldSecrets.self, reason.map { ["reason": $0] } ?? [:])].compactMap(\.self)
    }

    /// The player, operator or key to whom the secrets belong.
    private func owner(of action: any OperatorAction.Type, _ form: FormValues) -> [Fact] {
        switch try? target(of: action, form) {
        case .member(let user)?: [Fact(words("deed.for-player"), .code(user.rawValue, link: memberLink(user)))]
        case .person(let name)?: [Fact(words("deed.for-name"), Cell(name))]
        case .secrets?:
            form["kind"] == "named" ? form["name"].map { [Fact(words("deed.for-name"), Cell($0))] } ?? [] : []
        default: []
        }
    }

    /// Digits in groups of four, which are read aloud. What is copied has no gaps.
    @HTMLBuilder private func grouped(_ text: String) -> HTML {
        let digits = Array(text.utf8)
        if (8...32).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) {
            for start in stride(from: 0, to: digits.count, by: 4) {
                span { String(decoding: digits[start..<min(start + 4, digits.count)], as: UTF8.self) }
            }
        } else {
            text
        }
    }
}
