import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// Makes a change once, and shows what came of it.
extension PageRequest {
    func perform(_ kind: DeedKind, _ form: FormValues) async throws -> Response {
        try requireFields(of: kind, form)
        guard let once = form["once"], once.utf8.count <= 64 else { return try await check(kind, form) }
        if let response = try await outcome(of: once, kind) { return response }
        do {
            return try await perform(kind, form, once: once)
        } catch {
            // A page that was sent twice at the same time finds the target changed by its twin.
            if let response = try await outcome(of: once, kind) { return response }
            return try await self.form(of: kind, form, after: error)
        }
    }

    /// Where a page leads that was sent before; nil if it was not.
    func outcome(of once: String, _ kind: DeedKind) async throws -> Response? {
        guard let record = try await run(.operatorRecord(once: once, by: person.id)) else { return nil }
        let place =
            switch ActionTarget(record.target) {
            case .member(let user)?: "members/\(FormValues.encoded(user.rawValue))"
            case .provider(let provider)?: "providers/\(FormValues.encoded(provider.rawValue))"
            default: kind.sectionPath
            }
        return redirect(to: address(place), done: record.id)
    }

    private func perform(_ kind: DeedKind, _ sent: FormValues, once: String) async throws -> Response {
        let own = sent.unreadable.intersection(ActionPage.confirmationFields)
        if own.count < sent.unreadable.count { try requireReadable(sent) }
        let form = try await kind.seal(self, sent)
        let reason = form["reason"] ?? form["earlierReason"] ?? ""
        var problems = Dictionary(uniqueKeysWithValues: own.map { ($0, words("problem.unreadable")) })
        if kind.level > .plain, !(4...1_000).contains(reason.unicodeScalars.count) {
            problems["reason"] = words("problem.reason")
        }
        let forecast = try await forecast(of: kind, form)
        let preview = forecast.preview
        // Nothing is done that was not shown. What is done without a confirmation has its own forms.
        if max(kind.level, preview.level) > .plain, !isConfirmed(kind, form) {
            return try await show(kind, form, forecast, notice: .changed)
        }
        if let typed = preview.typed, form["typed"] != typed { problems["typed"] = words("problem.typed") }
        guard problems.isEmpty else { return try await show(kind, form, forecast, problems: problems) }
        let confirmation = confirmed(
            kind, try kind.target(form), ticket: form["ticket"], once: once, seen: form["seen"])
        guard needsSignIn(kind, preview) else {
            return try await perform(kind, form, confirmation, reason: reason)
        }
        let renewed: PageRequest
        do {
            renewed = try await signedInAgain(form)
        } catch let refusal as Refusal where [403, 429, 503].contains(refusal.status) {
            let problem = console.problem(of: refusal, words)
            return try await show(kind, form, forecast, problems: ["password": problem])
        }
        // Whatever comes of it, the browser gets the new session, because the former one has ended.
        var response: Response
        do {
            // The role may be another than at the last sign-in.
            guard renewed.role >= kind.role else { throw renewed.noPermission(kind.role) }
            response = try await renewed.perform(kind, form, confirmation, reason: reason)
        } catch {
            response = await console.errorPage(
                for: error, request, context, unanswered: console.unanswered(form, request, in: renewed.token))
        }
        response.headers[.setCookie] = Console.cookieField(renewed.token)
        return response
    }

    func confirmed(_ kind: DeedKind, _ target: ActionTarget, ticket: String?, once: String, seen: String?)
        -> ActionConfirmation
    {
        var confirmation = ActionConfirmation(
            action: kind.name, target: target, person: person.id, ticket: ticket.map { String($0.prefix(100)) },
            once: once, seen: seen)
        confirmation.address = context.source.address.description
        confirmation.transactionID = context.source.transactionID.rawValue
        return confirmation
    }

    func perform(_ kind: DeedKind, _ form: FormValues, _ confirmation: ActionConfirmation, reason: String) async throws
        -> Response
    {
        do {
            var confirmation = confirmation
            confirmation.session = session.id
            let call = DeedCall(page: self, confirmation: confirmation, reason: reason.isEmpty ? kind.name : reason)
            let result = try await kind.perform(self, form, call)
            guard result.secrets.isEmpty else {
                return secrets(of: kind, form, result)
            }
            if let departure = result.departure { return leave(kind, result, to: departure) }
            let record = try await run(.operatorRecord(once: confirmation.once, by: person.id))
            return redirect(to: result.address, done: record?.id)
        } catch ConfirmationFailure.stale {
            return try await show(kind, form, forecast(of: kind, form), notice: .stale)
        }
    }

    /// A page from which the browser leaves. A redirect would not do: browsers let a form lead nowhere but to its own origin, if the
    /// page's policy says so.
    private func leave(_ kind: DeedKind, _ result: DeedResult, to departure: String) -> Response {
        var response = show(Page(words("deed.\(kind.name)"), section: kind.section)) {
            div(.class("card")) {
                p {
                    "\(words("deed.departure")) "
                    bdi { URLComponents(string: departure)?.host ?? "" }
                }
                div(.class("buttons")) {
                    a(.class("button primary"), .href(departure), .rel("noreferrer")) { words("deed.departure-go") }
                    " "
                    Link(words("deed.cancel"), result.address).button
                }
            }
        }
        if let name = HTTPField.Name("Refresh") { response.headers[name] = "0; url=\(departure)" }
        return response
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

    private func redirect(to address: String, done id: String?) -> Response {
        let mark = id.map { "\(address.has("?") ? "&" : "?")done=\($0)" } ?? ""
        return Console.redirect(to: address + mark)
    }
}

// What a change has made that is shown now and never again.
extension PageRequest {
    func secrets(of kind: DeedKind, _ form: FormValues, _ result: DeedResult) -> Response {
        var page = Page(words("deed.\(kind.name)"), section: kind.section)
        page.crumbs = crumbs(of: kind, form)
        return show(page) {
            div(.class("card")) {
                p(.class("notice warn"), .role("status")) { words("deed.once") }
                Facts(owner(of: kind, form))
                dl(.class("facts once")) {
                    for secret in result.secrets {
                        dt { secret.label }
                        dd { code(Attribute("data-copy", words("deed.copy"))) { grouped(secret.value.text) } }
                    }
                }
                if let end = result.secretsEnd {
                    Facts([Fact(words("deed.secrets-end"), .time(end, local))])
                }
                Buttons([Link(words("deed.kept"), result.address, style: "primary")] + next(after: kind, form))
            }
        }
    }

    /// What follows when the new secret is in use: an own key of the app replaces the former ones, for the same reason.
    private func next(after kind: DeedKind, _ form: FormValues) -> [Link] {
        guard kind.name == CreateSecret.about.name, form["kind"] == "own" else { return [] }
        let reason = form["reason"] ?? form["earlierReason"]
        return [offer(RevokeOldSecrets.self, reason.map { ["reason": $0] } ?? [:])].compactMap(\.self)
    }

    /// The player, operator or key to whom the secrets belong.
    private func owner(of kind: DeedKind, _ form: FormValues) -> [Fact] {
        switch try? kind.target(form) {
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
