import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// Where a person replaces the own second factor and the own recovery codes.
extension Console {
    static func addFactor(to pages: Pages) {
        pages.server("/me/factor", as: nil) { visit in try await visit.factorPage() }
        pages.serverForm("/me/factor", as: nil) { visit, form in try await visit.renewFactor(form) }
        pages.server("/me/recovery-codes", as: nil) { visit in try await visit.recoveryCodesPage() }
        pages.serverForm("/me/recovery-codes", as: nil) { visit, form in try await visit.renewRecoveryCodes(form) }
    }

    /// What a page shows of a second factor that is to be confirmed: the key in groups of four, and its picture.
    static func shown(_ factor: TOTP, of name: String) -> [String: Any] {
        let key = factor.base32
        let groups = stride(from: 0, to: key.count, by: 4).map { start in
            String(key.dropFirst(start).prefix(4))
        }.joined(separator: " ")
        guard let qr = QRCode(factor.address(account: name)) else { return ["key": groups] }
        return ["key": groups, "qr": ["path": qr.path, "side": String(qr.side)]]
    }

    static let factorPartial = Template(
        "factor",
        """
        <p>{{t.enrol.scan}}</p>
        {{#qr}}<svg class="qr" viewBox="0 0 {{side}} {{side}}" role="img" aria-label="{{t.enrol.qr}}"><rect width="{{side}}" height="{{side}}" fill="#fff"/><path d="{{path}}" fill="#000"/></svg>{{/qr}}
        <p>{{t.enrol.key}}<br><code class="key">{{key}}</code></p>
        """)

    static let ownFactorTemplate = Template(
        "own-factor",
        """
        {{<layout}}{{$content}}
        <form method="post" action="{{action}}" class="card"><input type="hidden" name="token" value="{{formToken}}"><input type="text" name="name" value="{{person}}" autocomplete="username" readonly hidden>
        <p>{{what}}</p>
        {{#proof}}
        {{> field}}
        {{/proof}}
        {{#factor}}
        <input type="hidden" name="factor" value="{{sealed}}">
        {{> factor}}
        {{#fields}}
        {{> field}}
        {{/fields}}
        {{/factor}}
        <div class="buttons"><button class="primary">{{button}}</button> <a class="button" href="/console/me">{{t.deed.cancel}}</a></div></form>
        {{/content}}{{/layout}}
        """)
}

extension Visit {
    fileprivate func factorPage(problems: [String: String] = [:], _ sent: FormValues? = nil) async throws -> Response {
        // A form that comes back keeps the key that the person's device has already.
        let known: OfferedFactor? = sent?["factor"].flatMap { actions.openForm($0, at: moment) }
        let factor =
            known.flatMap { $0.isFor(session) ? $0 : nil } ?? OfferedFactor(for: session, random: console.random)
        var code = Field(
            "newCode", words("me.new-code"), help: words("enrol.code-help"), isRequired: true, limit: 10,
            autocomplete: "one-time-code")
        code.problem = problems["newCode"]
        var shown = Console.shown(factor.totp, of: person.name)
        shown["sealed"] = try actions.sealForm(factor, at: moment)
        shown["fields"] = [code]
        return try await ownFactor("factor", problems, factor: shown)
    }

    fileprivate func recoveryCodesPage(problems: [String: String] = [:]) async throws -> Response {
        try await ownFactor("recovery-codes", problems, factor: nil)
    }

    private func ownFactor(
        _ name: String, _ problems: [String: String], factor: [String: Any]?
    ) async throws -> Response {
        let button = words(factor == nil ? "me.renew-codes" : "me.renew-factor")
        var page = Page(button, section: "me")
        page.status = problems.isEmpty ? .ok : .unprocessableContent
        let (password, code) = proofFields(problem: problems["password"])
        page.values = [
            "action": "\(Console.prefix)/me/\(name)", "proof": [password, code], "button": button,
            "what": words(factor == nil ? "me.renew-codes-what" : "me.renew-factor-what"),
        ]
        page.values["factor"] = factor
        return try await show(page, "own-factor")
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
            return goingOn(with: renewed.session, try console.recoveryCodesPage(renewed.recoveryCodes, words))
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
            return try console.recoveryCodesPage(codes, words)
        } catch let refusal as Refusal where [403, 429, 503].contains(refusal.status) {
            return try await recoveryCodesPage(problems: ["password": console.problem(of: refusal, words)])
        }
    }
}
