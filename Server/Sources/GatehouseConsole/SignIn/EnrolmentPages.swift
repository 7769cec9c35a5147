import GatehouseCore
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
        var code = Field(
            "code", words("enrol.code"), help: words("enrol.code-help"), isRequired: true, limit: 10,
            autocomplete: "one-time-code")
        code.problem = problems["code"]
        var zone = Field("zone", words("me.zone"), value: form["zone"] ?? "", help: words("me.zone-help"), limit: 64)
        zone.problem = problems["zone"]
        let values: [String: Any] = [
            "action": "\(Self.prefix)/enrol/\(FormValues.encoded(secret))",
            "name": Field("name", "", .hidden, value: invitation.name), "password": [password], "code": [code],
            "settings": [
                Field(
                    "language", words("me.language"), .choice(Self.languageOptions(words)), value: words.language),
                zone,
            ],
        ]
        return try plainPage(
            "enrolment", words("enrol.title", ["name": invitation.name]), words,
            values.merging(Self.shown(invitation.secret, of: invitation.name)) { $1 }, status)
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
            code: (form["code"] ?? "").withoutWhitespace, preferences: preferences,
            visitor: visitor(request, context))
        do {
            let outcome = try await actions.run(action, by: .console, at: now())
            var response = try recoveryCodesPage(outcome.recoveryCodes, words)
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
    func recoveryCodesPage(_ codes: [String], _ words: Words) throws -> Response {
        try plainPage(
            "recovery-codes", words("recovery.title"), words,
            [
                "codes": codes,
                "file": "data:text/plain;charset=utf-8," + codes.map { FormValues.encoded($0) + "%0A" }.joined(),
            ])
    }

    static let enrolmentTemplate = Template(
        "enrolment",
        """
        {{<plain}}{{$content}}
        <form method="post" action="{{action}}" class="card">
        <h2>1 · {{t.enrol.step-password}}</h2>
        {{#name}}<input type="text" name="name" value="{{value}}" autocomplete="username" readonly hidden>{{/name}}
        {{#password}}
        {{> field}}
        {{/password}}
        <h2>2 · {{t.enrol.step-factor}}</h2>
        {{> factor}}
        {{#code}}
        {{> field}}
        {{/code}}
        <h2>3 · {{t.enrol.step-settings}}</h2>
        {{#settings}}
        {{> field}}
        {{/settings}}
        <div class="buttons"><button class="primary">{{t.enrol.button}}</button></div>
        </form>
        {{/content}}{{/plain}}
        """)

    static let recoveryTemplate = Template(
        "recovery-codes",
        """
        {{<plain}}{{$content}}
        <p>{{t.recovery.why}}</p>
        <ol class="codes">{{#codes}}<li><code>{{.}}</code></li>{{/codes}}</ol>
        <p class="buttons"><a class="button" href="{{file}}" download="gatehouse-recovery-codes.txt">{{t.recovery.file}}</a> <a class="button primary" href="/console">{{t.recovery.done}}</a></p>
        {{/content}}{{/plain}}
        """)
}
