import GatehouseCore
import GatehouseHTML
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

extension Visit {
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
