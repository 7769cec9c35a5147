import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The page that says what a change will do, and takes its reason.
extension Visit {
    func check(_ kind: DeedKind, _ sent: FormValues) async throws -> Response {
        // way: ban 330
        var values = sent
        do {
            try requireReadable(sent)
            values = try await kind.seal(self, sent)
            return try await confirmation(of: kind, values)
        } catch {
            return try await form(of: kind, values, after: error)
        }
    }

    /// The form again, with what was typed and what is wrong with it. Secrets come back sealed, and none in the page.
    ///
    /// - Throws: the error, if no other value of a field would help.
    func form(of kind: DeedKind, _ sent: FormValues, after error: any Error) async throws -> Response {
        var values = sent
        var problems: [String: String] = [:]
        do {
            values = try await kind.seal(self, sent)
        } catch let failure as SecretProblems {
            values = failure.values
            problems = failure.problems
        }
        let fields: [Field]
        switch error {
        case is SecretProblems: fields = try await kind.fields(self, values)
        case let failure as FormProblems:
            fields = try await kind.fields(self, values)
            problems.merge(failure.problems) { $1 }
        case let refusal as Refusal where refusal.status == 400 && refusal.code == .invalidParameter:
            fields = try await kind.fields(self, values)
            guard let first = fields.first else { throw error }
            // The contract's parameter may have a longer name than the field: `templateCode` is the field `template`.
            let parameter = refusal.details.parameter ?? first.name
            let name = fields.map(\.name).first { parameter.begins(with: $0) } ?? first.name
            problems[name] = words.problem(refusal, at: parameter)
        default: throw error
        }
        return try await form(of: kind, values, fields, problems: problems)
    }

    /// - Throws: ``FormProblems`` for fields whose bytes are no text.
    func requireReadable(_ form: FormValues) throws {
        guard form.unreadable.isEmpty else {
            throw FormProblems(
                Dictionary(uniqueKeysWithValues: form.unreadable.map { ($0, words("problem.unreadable")) }))
        }
    }

    func confirmation(
        of kind: DeedKind, _ values: FormValues, problems: [String: String] = [:], isStale: Bool = false
    ) async throws -> Response {
        let target = try kind.target(values)
        let state = try await run(ReadDeedState(target: target))
        let preview = try await kind.preview(self, values)
        var page = Page(preview.title, section: kind.section)
        page.crumbs = crumbs(of: kind, values)
        page.again = again(kind, values)
        page.here = here(kind, values)
        page.status = problems.isEmpty ? (isStale ? .conflict : .ok) : .unprocessableContent
        var fields: [Field] = []
        let help =
            switch target {
            case .member, .members: (reason: "deed.reason-help", ticket: "deed.ticket-help")
            default: (reason: "deed.reason-help-app", ticket: "deed.ticket-help-app")
            }
        if kind.level > .plain {
            var reason = Field(
                "reason", words("deed.reason"), .lines, value: values["reason"] ?? "", help: words(help.reason),
                isRequired: true, limit: 1_000)
            reason.problem = problems["reason"]
            fields.append(reason)
            var ticket = Field(
                "ticket", words("deed.ticket"), value: values["ticket"] ?? "", help: words(help.ticket),
                limit: 100)
            ticket.problem = problems["ticket"]
            fields.append(ticket)
        }
        if let typed = preview.typed {
            var field = Field("typed", words("deed.typed", ["text": typed]), isRequired: true, limit: 64)
            field.problem = problems["typed"]
            fields.append(field)
        }
        let needsSignIn = max(kind.level, preview.level) >= .fresh && !session.isElevated(at: moment)
        let signIn = needsSignIn ? signInFields(problems) : []
        let last = isStale ? try await lastChange(of: target) : nil
        let once = once()
        return show(page) {
            if isStale {
                p(.class("notice warn"), .role("alert")) { words("deed.stale") }
                if let last { last }
            }
            self.problems(problems, at: fields + signIn)
            changing(action(of: kind, values), class: "card") {
                all(hidden(values, besides: []))
                hidden("once", once)
                hidden("seen", state.version)
                said(preview)
                all(fields)
                if needsSignIn { h2 { words("deed.sign-in") } }
                all(signIn)
                div(.class("buttons")) {
                    button(.class(preview.isDangerous ? "danger" : "primary")) { preview.button }
                    " "
                    a(.class("button"), .href(preview.cancel), Attribute("data-replace", if: true)) {
                        words("deed.cancel")
                    }
                }
            }
        }
    }

    /// What will happen.
    @HTMLBuilder private func said(_ preview: DeedPreview) -> HTML {
        h2 { words("deed.what") }
        ul(.class("consequences")) {
            for consequence in preview.consequences { li { consequence } }
        }
        if !preview.playerReads.isEmpty {
            h2 { words("deed.player-reads") }
            dl(.class("facts")) {
                for read in preview.playerReads {
                    dt { languageName(read.language) }
                    dd { blockquote { Cell(read.text) } }
                }
            }
        }
        if let table = preview.table { table }
        p(.class("undo-note")) { preview.undo }
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
}
