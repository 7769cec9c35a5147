import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

extension Console {
    static func addMe(to pages: Pages) {
        pages.server("/me", as: nil) { page in try await page.mePage() }
        // It carries the whole form of the page that is shown again.
        pages.serverForm("/me/language", as: nil, fieldBytes: FormValues.maximumBytes) { page, form in
            var preferences = page.person.preferences
            if let language = form["to"], Words.languages.contains(language) { preferences.language = language }
            if preferences != page.person.preferences {
                try await page.run(SetOperatorPreferences(of: page.person, preferences, from: page.visitor))
            }
            return try await page.again(form["again"]) ?? Console.redirect(to: Console.local(form["back"] ?? ""))
        }
        pages.serverForm("/me", as: nil) { page, form in
            if let zone = form["zone"], !AppZone.exists(zone) {
                return try await page.mePage(problems: ["zone": page.words("problem.zone")], form)
            }
            var preferences = page.person.preferences
            preferences.language = form["language"].flatMap { Words.languages.contains($0) ? $0 : nil }
            preferences.zone = form["zone"]
            preferences.theme = form["theme"].flatMap { .init(rawValue: $0) } ?? .auto
            preferences.density = form["density"].flatMap { .init(rawValue: $0) } ?? .comfortable
            preferences.hasShortcuts = form.isSet("shortcuts")
            let rows = form["rows"].flatMap { Int($0) }.flatMap { PageRequest.rowChoices.contains($0) ? $0 : nil }
            preferences.rows = rows ?? OperatorPreferences().rows
            try await page.run(SetOperatorPreferences(of: page.person, preferences, from: page.visitor))
            return Console.redirect(to: "\(Console.prefix)/me?saved=1")
        }
        pages.serverForm("/me/password", as: nil) { page, form in
            do {
                let token = try await page.run(
                    ChangeOperatorPassword(
                        session: page.session, password: form.raw("password"), code: form["code"] ?? "",
                        new: form.raw("new"), visitor: page.visitor))
                return page.goingOn(with: token, Console.redirect(to: "\(Console.prefix)/me?saved=1"))
            } catch let refusal as Refusal where [400, 403, 429, 503].contains(refusal.status) {
                let isNew = refusal.status == 400
                let problem =
                    isNew
                    ? page.words("problem.new-password") : page.console.problem(of: refusal, page.words)
                return try await page.mePage(problems: [isNew ? "new" : "password": problem], nil)
            }
        }
        pages.serverForm("/me/sessions", as: nil) { page, form in
            let scope = form["session"].map { EndOperatorSessions.Scope.one($0) } ?? .allBut(page.session.id)
            try await page.run(EndOperatorSessions(of: page.person, scope, from: page.visitor))
            return Console.redirect(to: "\(Console.prefix)/me?saved=1")
        }
        pages.serverForm("/sign-out", as: nil) { page, _ in
            try await page.run(
                EndOperatorSessions(of: page.person, .one(page.session.id), from: page.visitor))
            var response = Console.redirect(to: "\(Console.prefix)/sign-in")
            response.headers[.setCookie] = Console.cookieField(nil)
            if let name = HTTPField.Name("Clear-Site-Data") { response.headers[name] = "\"cache\", \"storage\"" }
            return response
        }
    }
}

extension PageRequest {
    /// The page that has answered a form, in the language that was chosen now; nil if there was none.
    fileprivate func again(_ form: String?) async throws -> Response? {
        guard let parts = form?.parts(at: "?", atMost: 2), parts.count == 2,
            case .live(let session) = try await run(ReadOperatorSession(token: token))
        else { return nil }
        let kept = KeptForm(
            path: String(parts[0]), values: try FormValues(encoded: parts[1].utf8), person: session.person.id)
        let page = console.pageRequest(request, context, token: token, session: session, at: moment)
        return try await console.resume(kept, page)
    }

    fileprivate func mePage(problems: [String: String] = [:], _ form: FormValues? = nil) async throws -> Response {
        let preferences = person.preferences
        let sessions = try await run(ListOperatorSessions(id: person.id))
        var page = Page(words("me.title", ["name": person.name]), section: "me")
        page.status = problems.isEmpty ? .ok : .unprocessableContent
        if query.isSet("saved") { page.result = (words("me.saved"), nil) }
        var zone = Field(
            "zone", words("me.zone"), .zone(none: words("me.zone-none")),
            value: form?["zone"] ?? preferences.zone ?? "", help: words("me.zone-help"))
        zone.problem = problems["zone"]
        let (password, proofCode) = proofFields(problem: problems["password"])
        var new = Field(
            "new", words("me.new-password"), .password, help: words("enrol.password-help"), isRequired: true,
            limit: 512, autocomplete: "new-password")
        new.problem = problems["new"]
        let settings = [
            Field(
                "language", words("me.language"), .choice(Console.languageOptions(words)),
                value: preferences.language ?? words.language),
            zone,
            choice("theme", OperatorPreferences.Theme.allCases.map(\.rawValue), preferences.theme.rawValue),
            choice("density", OperatorPreferences.Density.allCases.map(\.rawValue), preferences.density.rawValue),
            Field(
                "rows", words("me.rows"), .choice(PageRequest.rowChoices.map { Field.Option("\($0)", "\($0)") }),
                value: "\(rows)"),
            Field("shortcuts", words("me.shortcuts"), .check, value: preferences.hasShortcuts ? "on" : ""),
        ]
        let path = "\(Console.prefix)/me"
        return show(page) {
            if let left = query["recovered"].flatMap({ Int($0) }) {
                p(.class("notice warn"), .role("status")) { words("me.recovered", ["count": Words.number(left)]) }
            }
            changing(path, class: "card") {
                h2 { words("me.look") }
                all(settings)
                div(.class("buttons")) { button(.class("primary")) { words("me.save") } }
            }
            changing("\(path)/password", class: "card") {
                userName(person.name)
                h2 { words("me.password") }
                all([password, proofCode, new])
                div(.class("buttons")) { button { words("me.change-password") } }
            }
            card("me.factor") {
                p { words("me.factor-what") }
                p(.class("buttons")) {
                    Link(words("me.renew-factor"), "\(path)/factor").button
                    " "
                    Link(words("me.renew-codes"), "\(path)/recovery-codes").button
                }
            }
            card("me.sessions") {
                changing("\(path)/sessions") {
                    ownSessions(sessions)
                    if sessions.count > 1 {
                        div(.class("buttons")) { button { words("me.end-others") } }
                    }
                }
            }
        }
    }

    /// The person's sessions, this one first, with the button that ends each of the others.
    private func ownSessions(_ sessions: [OperatorSession]) -> HTML {
        let own = sessions.filter { $0.id == session.id }
        return ul(.class("sessions")) {
            for shown in own + sessions.filter({ $0.id != session.id }) {
                li {
                    div {
                        strong { bdi { browser(shown.agent) } }
                        " "
                        if shown.id == session.id { Cell(words("me.this"), badge: "good") }
                        Facts([
                            Fact(words("me.address"), .code(shown.address)),
                            Fact(words("me.begun"), .time(shown.createdAt, local)),
                            Fact(words("me.used"), .time(shown.usedAt, local)),
                        ])
                    }
                    if shown.id != session.id {
                        button(.name("session"), .value(shown.id)) {
                            words("me.end-session")
                            span(.class("hidden")) { " \(browser(shown.agent))" }
                        }
                    }
                }
            }
        }
    }

    /// A browser as its person knows it, such as `Chrome 156 on Linux`. A program's own name stays as it is.
    private func browser(_ agent: String) -> String {
        func first(_ names: [(mark: String, name: String)]) -> (mark: String, name: String)? {
            names.first { agent.has($0.mark) }
        }
        guard
            let browser = first([
                ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"),
                ("Version/", "Safari"),
            ]),
            let system = first([
                ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iPadOS"), ("Windows", "Windows"),
                ("Mac OS X", "macOS"), ("Linux", "Linux"),
            ])
        else { return agent.isEmpty ? "–" : agent }
        let mark = agent.range(ofBytes: browser.mark)
        let digits = mark.map { agent[$0.upperBound...].unicodeScalars.prefix { ("0"..."9").contains($0) } }
        let version = digits.map { String($0) } ?? ""
        return words("browser.on", ["browser": "\(browser.name) \(version)", "system": system.name])
    }

    /// Where the person is now.
    var visitor: OperatorVisitor { console.visitor(request, context) }

    /// The fields with which a person proves the present credentials.
    func proofFields(problem: String?) -> (password: Field, code: Field) {
        var password = Field(
            "password", words("me.present-password"), .password, isRequired: true, limit: 512,
            autocomplete: "current-password")
        password.problem = problem
        return (password: password, code: .proofCode(words))
    }

    private func choice(_ name: String, _ values: [String], _ value: String) -> Field {
        Field(
            name, words("me.\(name)"), .choice(values.map { Field.Option($0, words("me.\(name).\($0)")) }), value: value
        )
    }
}

/// Where a person replaces the own second factor and the own recovery codes.
extension Console {
    static func addFactor(to pages: Pages) {
        pages.server("/me/factor", as: nil) { page in try await page.factorPage() }
        pages.serverForm("/me/factor", as: nil) { page, form in try await page.renewFactor(form) }
        pages.server("/me/recovery-codes", as: nil) { page in try await page.recoveryCodesPage() }
        pages.serverForm("/me/recovery-codes", as: nil) { page, form in try await page.renewRecoveryCodes(form) }
    }
}

extension Markup {
    /// What a page shows of a second factor that is to be confirmed: its picture, and the key in groups of four.
    ///
    /// - Parameter host: the server's, by which an app tells its codes from another's.
    @HTMLBuilder func factor(_ factor: TOTP, of name: String, at host: String, _ words: Words) -> HTML {
        let key = factor.base32
        let groups = stride(from: 0, to: key.count, by: 4).map { String(key.dropFirst($0).prefix(4)) }
        p { words("enrol.scan") }
        if let qr = QRCode(factor.address(account: name, host: host)) {
            svg(.class("qr"), .viewBox("0 0 \(qr.side) \(qr.side)"), .role("img"), .ariaLabel(words("enrol.qr"))) {
                rect(.width("\(qr.side)"), .height("\(qr.side)"), .fill("#fff"))
                path(.d(qr.path), .fill("#000"))
            }
        }
        p {
            words("enrol.key")
            br
            code(.class("key")) { groups.joined(separator: " ") }
        }
    }

    /// The name of the account, by which a password manager knows whose password it keeps. It is not sent.
    func userName(_ name: String) -> HTML {
        input(.type("text"), .value(name), .autocomplete("username"), .readonly, .hidden)
    }
}

extension PageRequest {
    fileprivate func factorPage(problems: [String: String] = [:], _ sent: FormValues? = nil) async throws -> Response {
        // A form that comes back keeps the key that the person's device has already.
        let known: OfferedFactor? = sent?["factor"].flatMap { actions.openForm($0, at: moment) }
        let factor =
            known.flatMap { $0.isFor(session) ? $0 : nil } ?? OfferedFactor(for: session, random: console.random)
        var newCode = Field.newCode("newCode", words("me.new-code"), words)
        newCode.problem = problems["newCode"]
        let sealed = try actions.sealForm(factor, at: moment)
        let host = Console.host(of: console.settings.origins, at: request.head.authority)
        return credentialPage("factor", problems) {
            hidden("factor", sealed)
            self.factor(factor.totp, of: person.name, at: host, words)
            newCode
        }
    }

    fileprivate func recoveryCodesPage(problems: [String: String] = [:]) async throws -> Response {
        credentialPage("codes", problems) {}
    }

    /// The form that replaces one of the person's own credentials.
    ///
    /// - Parameters:
    ///   - name: the end of the keys of its words.
    ///   - content: what it asks besides the proof.
    private func credentialPage(
        _ name: String, _ problems: [String: String], @HTMLBuilder _ content: () -> HTML
    ) -> Response {
        let title = words("me.renew-\(name)")
        var page = Page(title, section: "me")
        page.status = problems.isEmpty ? .ok : .unprocessableContent
        let (password, code) = proofFields(problem: problems["password"])
        return show(page) {
            changing("\(Console.prefix)/me/\(name == "codes" ? "recovery-codes" : name)", class: "card") {
                userName(person.name)
                p { words("me.renew-\(name)-what") }
                password
                code
                content()
                div(.class("buttons")) {
                    button(.class("primary")) { title }
                    " "
                    Link(words("deed.cancel"), "\(Console.prefix)/me").button
                }
            }
        }
    }

    fileprivate func renewFactor(_ form: FormValues) async throws -> Response {
        guard let factor: OfferedFactor = form["factor"].flatMap({ actions.openForm($0, at: moment) }) else {
            return try await factorPage(problems: ["newCode": words("problem.code")])
        }
        do {
            let renewed = try await run(
                RenewOperatorFactor(
                    session: session, password: form.raw("password"), code: form["code"] ?? "", factor: factor,
                    newCode: form["newCode"] ?? "", visitor: visitor))
            return goingOn(with: renewed.session, console.recoveryCodesPage(renewed.recoveryCodes, words))
        } catch let refusal as Refusal where [400, 403, 429, 503].contains(refusal.status) {
            let isNew = refusal.status == 400
            let problem = isNew ? words("problem.code") : console.problem(of: refusal, words)
            return try await factorPage(problems: [isNew ? "newCode" : "password": problem], form)
        }
    }

    fileprivate func renewRecoveryCodes(_ form: FormValues) async throws -> Response {
        do {
            let codes = try await run(
                RenewRecoveryCodes(
                    session: session, password: form.raw("password"), code: form["code"] ?? "", visitor: visitor))
            return console.recoveryCodesPage(codes, words)
        } catch let refusal as Refusal where [403, 429, 503].contains(refusal.status) {
            return try await recoveryCodesPage(problems: ["password": console.problem(of: refusal, words)])
        }
    }
}
