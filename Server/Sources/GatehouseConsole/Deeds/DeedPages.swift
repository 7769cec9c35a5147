import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

extension Console {
    /// The three steps of every change: form, confirmation, result.
    static func addDeeds(to pages: Pages) {
        pages.app("/do/:deed") { visit in try await visit.begin(visit.deedKind()) }
        pages.appForm("/do/:deed/check") { visit, form in
            try await visit.check(visit.deedKind(), form)
        }
        pages.appForm("/do/:deed") { visit, form in
            try await visit.perform(visit.deedKind(), form)
        }
        pages.server("/do/:deed", as: .viewer) { visit in try await visit.begin(visit.deedKind()) }
        pages.serverForm("/do/:deed/check", as: .viewer) { visit, form in
            try await visit.check(visit.deedKind(), form)
        }
        pages.serverForm("/do/:deed", as: .viewer) { visit, form in
            try await visit.perform(visit.deedKind(), form)
        }
    }

    /// Continues with a form whose session had ended: the confirmation page, with everything that was typed.
    func resume(_ kept: KeptForm, _ visit: Visit) async throws -> Response? {
        let parts = kept.path.split(separator: "/").map(String.init)
        guard parts.count >= 5, parts[1] == "apps", parts[3] == "do", let kind = deeds[parts[4]] else { return nil }
        let id = AppID(parts[2].removingPercentEncoding ?? "")
        guard let role = visit.person.role(in: id), role >= kind.role,
            let app = try? await actions.context(of: id, at: visit.moment).view.app
        else { return nil }
        var visit = visit
        visit.enter(app, as: role)
        return try await visit.check(kind, FormValues(kept.fields))
    }
}

extension Visit {
    /// The address of a deed's form.
    func deed(_ name: String, _ fields: [String: String] = [:]) -> String {
        let query = FormValues(fields).encoded
        return address("do/\(name)") + (query.isEmpty ? "" : "?\(query)")
    }

    fileprivate func deedKind() throws -> DeedKind {
        guard let kind = console.deeds[segment("deed")], kind.isOfServer == (place == nil) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        guard role >= kind.role else {
            console.actions.noteRefusedDeed(kind.name, by: person, in: place?.app.id, at: context.source.address)
            throw noPermission(kind.role)
        }
        return kind
    }

    // MARK: Form

    /// The form, or else the confirmation of a deed that leaves nothing to choose.
    fileprivate func begin(_ kind: DeedKind) async throws -> Response {
        let fields = try await kind.fields(self, query)
        if fields.isEmpty { return try await confirmation(of: kind, query) }
        return try await form(of: kind, query, fields)
    }

    fileprivate func form(
        of kind: DeedKind, _ values: FormValues, _ fields: [Field], problems: [String: String] = [:]
    ) async throws -> Response {
        let title = words("deed.\(kind.name)")
        var page = Page(title, section: kind.section)
        page.crumbs = crumbs(of: kind, values)
        let shown = fields.map { field in
            var field = field
            // A box that is not ticked, and a text that was emptied, are not in a form that was sent.
            if !field.isSecret, values.isSet("token") { field.value = values[field.name] ?? "" }
            if let value = values[field.name], !field.isSecret { field.value = value }
            field.problem = problems[field.name]
            return field
        }
        let presets = kind.presets(self)
        page.values = [
            "action": address("do/\(kind.name)/check"), "fields": shown,
            "hidden": hidden(values, besides: Set(fields.map(\.name))),
            "problems": problems.sorted { $0.key < $1.key }.map { Link($0.value, "#f-\($0.key)") },
            "hasProblems": !problems.isEmpty, "here": here(kind, values), "presets": presets,
            "hasPresets": !presets.isEmpty,
        ]
        page.status = problems.isEmpty ? .ok : .unprocessableContent
        return try await show(page, "deed-form")
    }

    /// The fields of the address that a form hands on, such as the member.
    private func hidden(_ values: FormValues, besides shown: Set<String>) -> [Field] {
        values.all.filter { !shown.contains($0.key) && !Self.ownFields.contains($0.key) }
            .sorted { $0.key < $1.key }.map { Field($0.key, "", .hidden, value: $0.value) }
    }

    /// Where the form can be opened again. Only the target stands in the address, because a form may hold a provider's secret.
    private func here(_ kind: DeedKind, _ values: FormValues) -> String {
        switch try? kind.target(values) {
        case .member(let user): deed(kind.name, ["user": user.rawValue])
        case .provider(let provider): deed(kind.name, ["provider": provider.rawValue])
        default: address(kind.section == "overview" ? "" : kind.section)
        }
    }

    /// Who has changed the target last, and what.
    private func lastChange(of target: DeedTarget) async throws -> Table? {
        guard let record = try await run(ListDeeds(target: target, limit: 1)).first else { return nil }
        let difference = (record.before ?? DeedState()).difference(to: record.after ?? DeedState())
        return Table(
            words(
                "deed.last-change",
                [
                    "name": record.personName, "action": words("deed.\(record.action)"),
                    "time": local.absolute(record.date),
                ]), [words("deed.what-changed"), words("deed.before"), words("deed.after")],
            difference.map { TableRow([.code($0.name), Cell($0.before ?? "–"), Cell($0.after ?? "–")]) },
            empty: words("deed.no-difference"))
    }

    private static let ownFields: Set = [
        "token", "once", "seen", "reason", "ticket", "typed", "password", "code", "done",
    ]

    private func crumbs(of kind: DeedKind, _ values: FormValues) -> [Link] {
        var crumbs = [Link(words("nav.\(kind.section)"), address(kind.section))]
        if case .member(let user)? = try? kind.target(values), !user.rawValue.isEmpty {
            crumbs.append(Link(user.rawValue, address("members/\(FormValues.encoded(user.rawValue))")))
        }
        return crumbs
    }

    // MARK: Confirmation

    fileprivate func check(_ kind: DeedKind, _ sent: FormValues) async throws -> Response {
        let values = try await kind.seal(self, sent)
        do {
            return try await confirmation(of: kind, values)
        } catch let failure as FormProblems {
            let fields = try await kind.fields(self, values)
            return try await form(of: kind, values, fields, problems: failure.problems)
        }
    }

    fileprivate func confirmation(
        of kind: DeedKind, _ values: FormValues, problems: [String: String] = [:], isStale: Bool = false
    ) async throws -> Response {
        let target = try kind.target(values)
        let state = try await run(ReadDeedState(target: target))
        let preview = try await kind.preview(self, values)
        var page = Page(preview.title, section: kind.section)
        page.crumbs = crumbs(of: kind, values)
        page.status = problems.isEmpty ? (isStale ? .conflict : .ok) : .unprocessableContent
        var fields: [Field] = []
        if kind.level > .plain {
            var reason = Field(
                "reason", words("deed.reason"), .lines, value: values["reason"] ?? "", help: words("deed.reason-help"),
                isRequired: true, limit: 1_000)
            reason.problem = problems["reason"]
            fields.append(reason)
            fields.append(
                Field(
                    "ticket", words("deed.ticket"), value: values["ticket"] ?? "", help: words("deed.ticket-help"),
                    limit: 100))
        }
        if let typed = preview.typed {
            var field = Field("typed", words("deed.typed", ["text": typed]), isRequired: true, limit: 64)
            field.problem = problems["typed"]
            fields.append(field)
        }
        let needsSignIn = kind.level >= .fresh && !session.isElevated(at: moment)
        if needsSignIn { fields += signInFields(problems) }
        page.values = [
            "action": address("do/\(kind.name)"), "consequences": preview.consequences, "undoes": preview.undo,
            "fields": fields, "button": preview.button, "isDangerous": preview.isDangerous, "cancel": preview.cancel,
            "needsSignIn": needsSignIn,
            "hidden": hidden(values, besides: []) + [
                Field("once", "", .hidden, value: Base64URL.encode(console.random.bytes(16))),
                Field("seen", "", .hidden, value: state.version),
            ],
            "reads": preview.playerReads.map { Fact($0.language, Cell($0.text)) },
            "hasReads": !preview.playerReads.isEmpty,
            "problems": problems.sorted { $0.key < $1.key }.map { Link($0.value, "#f-\($0.key)") },
            "hasProblems": !problems.isEmpty, "isStale": isStale, "here": here(kind, values),
        ]
        if isStale, let last = try await lastChange(of: target) { page.values["changes"] = last }
        if let table = preview.table { page.values["table"] = table }
        return try await show(page, "deed-confirmation")
    }

    private func signInFields(_ problems: [String: String]) -> [Field] {
        var password = Field(
            "password", words("sign-in.password"), .password, isRequired: true, limit: 512,
            autocomplete: "current-password")
        password.problem = problems["password"]
        return [
            password,
            Field(
                "code", words("sign-in.code"), help: words("sign-in.code-help"), isRequired: true, limit: 40,
                autocomplete: "one-time-code"),
        ]
    }

    // MARK: Result

    fileprivate func perform(_ kind: DeedKind, _ form: FormValues) async throws -> Response {
        guard let once = form["once"], once.utf8.count <= 64 else { return try await check(kind, form) }
        if let response = try await outcome(of: once, kind) { return response }
        do {
            return try await perform(kind, form, once: once)
        } catch {
            // A page that was sent twice at the same time finds the target changed by its twin.
            if let response = try await outcome(of: once, kind) { return response }
            if let failure = error as? FormProblems {
                return try await self.form(
                    of: kind, form, try await kind.fields(self, form), problems: failure.problems)
            }
            throw error
        }
    }

    /// Where a page leads that was sent before; nil if it was not.
    private func outcome(of once: String, _ kind: DeedKind) async throws -> Response? {
        guard let record = try await run(FindDeed(once: once, person: person.id)) else { return nil }
        let place =
            switch DeedTarget(record.target) {
            case .member(let user)?: "members/\(FormValues.encoded(user.rawValue))"
            case .provider(let provider)?: "providers/\(FormValues.encoded(provider.rawValue))"
            default: kind.section == "overview" ? "" : kind.section
            }
        return redirect(to: address(place), done: record.id)
    }

    private func perform(_ kind: DeedKind, _ sent: FormValues, once: String) async throws -> Response {
        let form = try await kind.seal(self, sent)
        let reason = form["reason"] ?? ""
        var problems: [String: String] = [:]
        if kind.level > .plain, !(4...1_000).contains(reason.unicodeScalars.count) {
            problems["reason"] = words("problem.reason")
        }
        let preview = try await kind.preview(self, form)
        if let typed = preview.typed, form["typed"] != typed { problems["typed"] = words("problem.typed") }
        guard problems.isEmpty else { return try await confirmation(of: kind, form, problems: problems) }
        var deed = Deed(
            action: kind.name, target: try kind.target(form), person: person.id,
            ticket: form["ticket"].map { String($0.prefix(100)) }, once: once, seen: form["seen"])
        deed.address = context.source.address.description
        deed.transactionID = context.source.transactionID.rawValue
        guard kind.level >= .fresh, !session.isElevated(at: moment) else {
            return try await perform(kind, form, deed, reason: reason)
        }
        let renewed: Visit
        do {
            renewed = try await signedInAgain(form)
        } catch let refusal as Refusal where [403, 429, 503].contains(refusal.status) {
            let problem = console.problem(of: refusal, words)
            return try await confirmation(of: kind, form, problems: ["password": problem])
        }
        // Whatever comes of it, the browser gets the new session, because the former one has ended.
        var response: Response
        do {
            response = try await renewed.perform(kind, form, deed, reason: reason)
        } catch {
            response = console.errorPage(for: error, request, context)
        }
        response.headers[.setCookie] = Console.cookieField(renewed.token)
        return response
    }

    private func perform(_ kind: DeedKind, _ form: FormValues, _ deed: Deed, reason: String) async throws -> Response {
        do {
            let call = DeedCall(visit: self, deed: deed, reason: reason.isEmpty ? kind.name : reason)
            let result = try await kind.perform(self, form, call)
            guard result.secrets.isEmpty else {
                var page = Page(words("deed.\(kind.name)"), section: kind.section)
                page.values = ["secrets": result.secrets, "back": result.address]
                return try await show(page, "deed-secrets")
            }
            if let departure = result.departure { return try await leave(kind, result, to: departure) }
            let record = try await run(FindDeed(once: deed.once, person: person.id))
            return redirect(to: result.address, done: record?.id)
        } catch DeedFailure.stale {
            return try await confirmation(of: kind, form, isStale: true)
        }
    }

    /// A page from which the browser leaves. A redirect would not do: browsers let a form lead nowhere but to its own origin, if the
    /// page's policy says so.
    private func leave(_ kind: DeedKind, _ result: DeedResult, to departure: String) async throws -> Response {
        var page = Page(words("deed.\(kind.name)"), section: kind.section)
        page.values = [
            "departure": departure, "host": URLComponents(string: departure)?.host ?? "", "back": result.address,
        ]
        var response = try await show(page, "deed-departure")
        if let name = HTTPField.Name("Refresh") { response.headers[name] = "0; url=\(departure)" }
        return response
    }

    /// The same visit in the session that begins when the person signs in once more.
    private func signedInAgain(_ form: FormValues) async throws -> Visit {
        let action = SignInOperator(
            name: person.name, password: form.raw("password"), code: form["code"] ?? "",
            visitor: console.visitor(request, context), replacing: token)
        var visit = self
        visit.token = try await actions.run(action, by: .console, at: moment).session
        if case .live(let session) = try await run(ReadOperatorSession(token: visit.token)) { visit.session = session }
        return visit
    }

    private func redirect(to address: String, done id: String?) -> Response {
        let mark = id.map { "\(address.contains("?") ? "&" : "?")done=\($0)" } ?? ""
        return Console.redirect(to: address + mark)
    }

    /// The result line of a page to which a deed has led, with its *Undo*.
    func resultLine() async throws -> (text: String, undo: Link?)? {
        guard let id = query["done"], id.utf8.count <= 64, let record = try await run(ReadDeed(id: id)) else {
            return nil
        }
        let text = words(
            record.person == person.id ? "done.\(record.action)" : "done.by-other",
            ["name": record.personName, "action": words("deed.\(record.action)")])
        return (text, undo(of: record))
    }

    /// The link that undoes a deed; nil where nothing can.
    func undo(of record: DeedRecord) -> Link? {
        guard let name = console.deeds[record.action]?.undo else { return nil }
        var fields: [String: String] = [:]
        if case .member(let user)? = DeedTarget(record.target) { fields["user"] = user.rawValue }
        if case .provider(let provider)? = DeedTarget(record.target) { fields["provider"] = provider.rawValue }
        if case .person(let name)? = DeedTarget(record.target) { fields["name"] = name }
        if case .banTemplate(let code)? = DeedTarget(record.target) { fields["template"] = String(code) }
        if case .testDevice(let key)? = DeedTarget(record.target) { fields["device"] = key.rawValue }
        if case .clientRules? = DeedTarget(record.target) { fields["rule"] = Console.clientRule(of: record) }
        // A form about settings begins with the values before the deed.
        if fields["user"] == nil, fields["provider"] == nil { fields["earlier"] = record.id }
        return offer(name, fields, text: words("deed.undo"))
    }
}

extension Field {
    fileprivate var isSecret: Bool { if case .password = kind { true } else { false } }
}
