import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

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
