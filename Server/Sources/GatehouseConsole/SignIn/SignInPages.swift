import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

extension Console {
    func addSignIn(to router: Router<ConsoleContext>) {
        let path = Self.prefix
        router.get(RouterPath("\(path)/sign-in")) { request, context in
            try await signInPage(request, context, notice: nil, kept: nil, to: Self.prefix)
        }
        router.post(RouterPath("\(path)/sign-in")) { request, context in
            try await signIn(request, context, strangersForm(request, context))
        }
        router.get(RouterPath("\(path)/enrol/:token")) { request, context in
            try await enrolmentPage(request, context, problems: [:], FormValues(), status: .ok)
        }
        router.post(RouterPath("\(path)/enrol/:token")) { request, context in
            try await enrol(request, context, strangersForm(request, context))
        }
        if let entry = settings.entry {
            // A development server is reached from this machine only, and its link is in its own terminal.
            router.get(RouterPath("\(path)/enter/:entry")) { request, context in
                let given = Array((context.parameters.get("entry") ?? "").utf8)
                guard Networks.loopback.contains(context.source.address), ConstantTime.isEqual(given, Array(entry.utf8))
                else {
                    throw Refusal(.notSupported, "There is no such page.", httpStatus: 404)
                }
                let token = try await actions.run(
                    EnterAsDeveloper(visitor: visitor(request, context)), by: .console, at: now())
                var response = Self.redirect(to: Self.prefix)
                response.headers[.setCookie] = Self.cookieField(token)
                return response
            }
        }
    }

    // MARK: Signing in

    /// The sign-in, instead of the page that was asked for.
    ///
    /// - Parameters:
    ///   - notice: the key of a sentence about why.
    ///   - kept: the form with which the person goes on.
    ///   - target: where the sign-in leads; the page that was asked for, unless it is given.
    func signInPage(
        _ request: Request, _ context: ConsoleContext, notice: String?, kept: KeptForm?, to target: String? = nil,
        name: String = "", problem: String? = nil, status: HTTPResponse.Status = .ok, sealed: String? = nil
    ) async throws -> Response {
        let words = Words.of(Self.languages(of: request))
        let isFresh: Bool
        var (problem, status) = (problem, status)
        do {
            isFresh = try await actions.run(HasNoOperators(), by: .console, at: now())
        } catch  where Self.isGone(error) {
            status = .init(code: refusal(for: error, context).status)
            isFresh = false
            problem = noDatabase(words)
        }
        let sealed = try sealed ?? kept.map { try actions.sealForm($0, at: now()) }
        let target = target ?? (request.method == .get ? Self.local(request.uri.description) : Self.prefix)
        var nameField = Field(
            "name", words("sign-in.name"), value: name, isRequired: true, limit: 64, autocomplete: "username",
            keyboard: .name)
        nameField.hasFocus = name.isEmpty
        var passwordField = Field(
            "password", words("sign-in.password"), .password, isRequired: true, limit: 512,
            autocomplete: "current-password")
        passwordField.hasFocus = !name.isEmpty
        return plainPage(words("sign-in.title"), words, status) {
            if let notice { p(.class("notice"), .role("status")) { words(notice) } }
            if let problem { p(.class("notice bad"), .role("alert")) { problem } }
            if isFresh {
                p { words("sign-in.fresh") }
                pre(.tabindex(0)) { code { "gatehouse operator create NAME --role owner" } }
            }
            form(.post, .action("\(Self.prefix)/sign-in"), .class("card")) {
                hidden("to", target)
                hidden("kept", sealed ?? "")
                input(.type("hidden"), .name("zone"), .value(""), Attribute("data-zone", if: true))
                all([nameField, passwordField, .proofCode(words)])
                div(.class("buttons")) { button(.class("primary")) { words("sign-in.button") } }
            }
            details {
                summary { words("sign-in.lost") }
                p { words("sign-in.lost-code") }
                p { words("sign-in.lost-all") }
            }
        }
    }

    /// Why nobody can sign in without the database.
    private func noDatabase(_ words: Words) -> String {
        guard let since = actions.services.outage.since else { return words("sign-in.no-database") }
        let local = LocalTime(zone: nil, now: now(), words: words)
        return words("sign-in.no-database-since", ["moment": local.absolute(since)])
    }

    /// An address of the console, or its home. So a sign-in leads nowhere else.
    static func local(_ address: String) -> String {
        let isLocal =
            address.begins(with: "\(prefix)/") && !address.begins(with: "\(prefix)/sign-in") && !address.has("\\")
            && address.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        return isLocal ? address : prefix
    }

    /// Why a sign-in was not done. It never says which part was wrong.
    func problem(of refusal: Refusal, _ words: Words) -> String {
        if refusal.status == 503 { return words("error.title.503") }
        guard let seconds = refusal.retryAfterSeconds else { return words("sign-in.wrong") }
        let length = LocalTime(zone: nil, now: now(), words: words).duration(seconds: UInt64(max(0, seconds)))
        return words("sign-in.wait", ["length": length])
    }

    private func signIn(_ request: Request, _ context: ConsoleContext, _ form: FormValues) async throws -> Response {
        let words = Words.of(Self.languages(of: request))
        let visitor = visitor(request, context)
        let action = SignInOperator(
            name: form["name"] ?? "", password: form.raw("password"), code: form["code"] ?? "", visitor: visitor,
            replacing: Self.token(of: request))
        let outcome: SignInOperator.Outcome
        do {
            outcome = try await actions.run(action, by: .console, at: now())
        } catch let refusal as Refusal where [403, 429, 503].contains(refusal.status) {
            let problem = problem(of: refusal, words)
            return try await signInPage(
                request, context, notice: nil, kept: nil, to: Self.local(form["to"] ?? ""), name: form["name"] ?? "",
                problem: problem, status: .init(code: refusal.status), sealed: form["kept"])
        } catch  where Self.isGone(error) {
            return try await signInPage(
                request, context, notice: nil, kept: nil, to: Self.local(form["to"] ?? ""), name: form["name"] ?? "",
                sealed: form["kept"])
        }
        await setZone(form["zone"], of: outcome.person, from: visitor)
        var response = try await afterSignIn(outcome, request, context, form)
        setCookies(of: outcome.session, named: outcome.person.name, for: visitor, in: &response)
        return response
    }

    /// Keeps the time zone of the browser for a person who has none. A sign-in does not fail because of it.
    private func setZone(_ zone: String?, of person: Operator, from visitor: OperatorVisitor) async {
        guard person.preferences.zone == nil, let zone, AppZone.exists(zone) else { return }
        var preferences = person.preferences
        preferences.zone = zone
        try? await actions.run(
            SetOperatorPreferences(of: person, preferences, from: visitor),
            by: .operator(person, as: person.serverRole), at: now())
    }

    /// Where a person is led: to the page that was asked for, or to the confirmation of what was typed before the session ended.
    private func afterSignIn(
        _ outcome: SignInOperator.Outcome, _ request: Request, _ context: ConsoleContext, _ form: FormValues
    ) async throws -> Response {
        if outcome.usedRecoveryCode { return Self.redirect(to: "\(Self.prefix)/me?recovered=\(outcome.recoveryCodes)") }
        let target = Self.local(form["to"] ?? "")
        guard let sealed = form["kept"], let kept: KeptForm = actions.openForm(sealed, at: now()),
            kept.person == outcome.person.id.rawValue
        else { return Self.redirect(to: target) }
        guard
            case .live(let session) = try await actions.run(
                ReadOperatorSession(token: outcome.session), by: .console, at: now())
        else { return Self.redirect(to: target) }
        let page = pageRequest(request, context, token: outcome.session, session: session, at: now())
        return try await resume(kept, page) ?? Self.redirect(to: target)
    }
}

extension Console {
    /// The server's host, as an authenticator app names it. Of several public URLs it is that of players.
    ///
    /// - Parameter authority: where the browser is; a server of this machine alone has no other name.
    static func host(of origins: PublicOrigins, at authority: String?) -> String {
        let all = origins.all
        let own = all.first(where: \.isSecure) ?? all.first ?? origins.origin("http://\(authority ?? "")")
        guard let text = own?.text, let scheme = text.range(ofBytes: "://") else { return "localhost" }
        return String(text[scheme.upperBound...])
    }
}

extension Console {
    /// The page behind an invitation: password, second factor, language and time zone.
    func enrolmentPage(
        _ request: Request, _ context: ConsoleContext, problems: [String: String], _ form: FormValues,
        status: HTTPResponse.Status
    ) async throws -> Response {
        let secret = context.parameters.get("token") ?? ""
        let words = Words.of([form["language"]].compactMap { $0 } + Self.languages(of: request))
        let invitation = try await actions.run(ReadInvitation(token: secret), by: .console, at: now())
        var password = Field(
            "password", words("enrol.password"), .password, value: form.raw("password"),
            help: words("enrol.password-help"), isRequired: true, limit: 512, autocomplete: "new-password")
        password.problem = problems["password"]
        var codeField = Field.newCode("code", words("enrol.code"), words)
        codeField.problem = problems["code"]
        var zone = Field(
            "zone", words("me.zone"), .zone(none: words("me.zone-none")), value: form["zone"] ?? "",
            help: words("me.zone-help"))
        zone.hasBrowserValue = true
        zone.problem = problems["zone"]
        let language = Field(
            "language", words("me.language"), .choice(Self.languageOptions(words)), value: words.language)
        let name = invitation.name
        let host = Self.host(of: settings.origins, at: request.head.authority)
        return plainPage(words("enrol.title", ["name": name]), words, status) {
            self.form(.post, .action("\(Self.prefix)/enrol/\(FormValues.encoded(secret))"), .class("card")) {
                h2 { "1 · \(words("enrol.step-password"))" }
                userName(name)
                password
                h2 { "2 · \(words("enrol.step-factor"))" }
                factor(invitation.secret, of: name, at: host, words)
                codeField
                h2 { "3 · \(words("enrol.step-settings"))" }
                language
                zone
                div(.class("buttons")) { button(.class("primary")) { words("enrol.button") } }
            }
        }
    }

    static func languageOptions(_ words: Words) -> [Field.Option] {
        [Field.Option("en", "English"), Field.Option("ko", "한국어"), Field.Option("ja", "日本語")]
    }

    func enrol(_ request: Request, _ context: ConsoleContext, _ form: FormValues) async throws -> Response {
        var preferences = OperatorPreferences()
        preferences.language = form["language"].flatMap { Words.languages.contains($0) ? $0 : nil }
        preferences.zone = form["zone"]
        let words = Words.of([preferences.language].compactMap { $0 } + Self.languages(of: request))
        // Nobody without an invitation has the machine look for a file of time zones.
        _ = try await actions.run(
            ReadInvitation(token: context.parameters.get("token") ?? ""), by: .console, at: now())
        if let zone = preferences.zone, !AppZone.exists(zone) {
            return try await enrolmentPage(
                request, context, problems: ["zone": words("problem.zone")], form, status: .unprocessableContent)
        }
        let action = EnrolOperator(
            token: context.parameters.get("token") ?? "", password: form.raw("password"),
            code: form["code"] ?? "", preferences: preferences,
            visitor: visitor(request, context))
        do {
            let outcome = try await actions.run(action, by: .console, at: now())
            var response = recoveryCodesPage(outcome.recoveryCodes, words)
            setCookies(of: outcome.session, named: outcome.name, for: action.visitor, in: &response)
            return response
        } catch let refusal as Refusal where refusal.status != 410 {
            guard let name = refusal.details.parameter else { throw refusal }
            let problem = words.problem(refusal, at: name)
            return try await enrolmentPage(
                request, context, problems: [name: problem], form, status: .unprocessableContent)
        }
    }

    /// The page that shows recovery codes, once.
    func recoveryCodesPage(_ codes: [String], _ words: Words) -> Response {
        let file = "data:text/plain;charset=utf-8," + codes.map { FormValues.encoded($0) + "%0A" }.joined()
        return plainPage(words("recovery.title"), words) {
            p { words("recovery.why") }
            ol(.class("codes"), .id("codes")) {
                for text in codes {
                    li { code { text } }
                }
            }
            p(.class("buttons")) {
                a(.class("button"), .href(file), Attribute("download", "gatehouse-recovery-codes.txt")) {
                    words("recovery.file")
                }
                for act in ["copy", "print"] {
                    " "
                    // The script shows and does it.
                    button(.type("button"), Attribute("data-act", act), .hidden) { words("recovery.\(act)") }
                }
                " "
                Link(words("recovery.done"), Self.prefix, style: "primary").button
            }
        }
    }
}
