import GatehouseCore
import GatehouseHTML
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The one page of a change: its form, and beside it what will happen.
struct ActionPage: Sendable {
    /// Why what was confirmed is shown once more.
    enum Notice {
        /// The target has changed since it was shown.
        case stale
        /// The form has other values than those with which it was shown.
        case changed
    }

    let action: any OperatorAction.Type
    /// What the address says, or what was typed.
    let values: FormValues
    let fields: [Field]
    /// Nil as long as the form can't be done as it is filled in.
    var forecast: ActionForecast?
    /// What is wrong, by the names of the fields.
    var problems: [String: String] = [:]
    var notice: Notice?

    init(_ action: any OperatorAction.Type, _ values: FormValues, fields: [Field]) {
        self.action = action
        self.values = values
        self.fields = fields
    }

    /// Why it is done. Nothing that will happen depends on it.
    static let reasonFields: Set = ["reason", "earlierReason", "ticket"]
    /// What belongs to no form of an action, but to every page of one.
    static let ownFields: Set =
        reasonFields.union(["token", "once", "seen", "shown", "filled", "typed", "password", "code", "done"])
    /// The fields of what is confirmed, beside the form's.
    static let confirmationFields: Set = reasonFields.union(["typed", "password", "code"])

    /// The fields of the address that the form hands on, such as the member.
    var hidden: [Field] {
        let shown = Set(fields.map(\.name))
        return values.all.filter { !shown.contains($0.key) && !Self.ownFields.contains($0.key) }
            .sorted { $0.key < $1.key }.map { Field($0.key, "", .hidden, value: $0.value) }
    }

    /// What a browser sends, if nobody changes the form.
    var sent: FormValues {
        FormValues(Dictionary((hidden + fields).map { ($0.name, $0.sentValue) }) { first, _ in first })
    }
}

/// What would happen to a target in a certain state.
struct ActionForecast: Sendable {
    /// The version of the state (``TargetState/version``).
    let seen: String
    let preview: Preview
}

extension PageRequest {
    /// The fields with what was typed, or else with what the form has at first.
    func filled(_ fields: [Field], _ values: FormValues) -> [Field] {
        // A box that is not ticked, and a text that was emptied, are not in a form that was sent.
        let isWhole = values.isSet("token") || values.isSet("filled")
        return fields.map { field in
            var field = field
            if !field.isSecret, isWhole { field.value = values[field.name] ?? "" }
            if let value = values[field.name], !field.isSecret { field.value = value }
            return field
        }
    }

    /// The page of a change that can be done as it is filled in.
    func show(
        _ action: any OperatorAction.Type, _ values: FormValues, _ forecast: ActionForecast,
        problems: [String: String] = [:],
        notice: ActionPage.Notice? = nil
    ) async throws -> Response {
        var page = ActionPage(action, values, fields: filled(try await fields(of: action, values), values))
        page.forecast = forecast
        page.problems = problems
        page.notice = notice
        return try await show(page)
    }

    func show(_ shown: ActionPage) async throws -> Response {
        let will = try will(of: shown)
        guard WillPart(request) == nil else { return Console.html(will) }
        let (action, values) = (shown.action, shown.values)
        let isForm = !shown.fields.isEmpty
        var page = Page(
            isForm
                ? words("deed.\(action.about.name)")
                : (shown.forecast?.preview).map { text($0.title) } ?? words("deed.\(action.about.name)"),
            section: action.about.section)
        page.crumbs = crumbs(of: action, values)
        page.here = here(action, values)
        if request.method == .post { page.again = again(action, values) }
        page.status = shown.notice != nil ? .conflict : shown.problems.isEmpty ? .ok : .unprocessableContent
        let presets = isForm ? Console.presets[action.about.name]?(self) ?? [] : []
        let fields = shown.fields.map { field in
            var field = field
            field.problem = shown.problems[field.name]
            return field
        }
        let reasons = action.about.step > .plain ? try await reasonFields(shown) : []
        let last = shown.notice == .stale ? try await lastChange(of: target(of: action, values)) : nil
        return show(page) {
            switch shown.notice {
            case .stale: p(.class("notice warn"), .role("alert")) { words("deed.stale") }
            case .changed: p(.class("notice warn"), .role("alert")) { words("deed.changed") }
            case nil: HTML()
            }
            if let last { last }
            problems(shown.problems, at: fields + reasons + confirmationFields(shown))
            if !presets.isEmpty {
                nav(.ariaLabel(words("deed.presets"))) { choices(presets) }
            }
            changing(formAddress(of: action, values), class: "card") {
                all(shown.hidden)
                div(.class(fields.isEmpty && reasons.isEmpty ? nil : "deed")) {
                    if !(fields.isEmpty && reasons.isEmpty) {
                        div {
                            arranged(fields)
                            if values.isSet(Self.sealedField) { p(.class("small")) { words("deed.sealed") } }
                            all(reasons)
                            if isForm { look(action, values) }
                        }
                    }
                    will
                }
            }
        }
    }

    /// The button that asks what will happen. The browser does not hold it up: the server says what is missing.
    private func look(_ action: any OperatorAction.Type, _ values: FormValues) -> HTML {
        div(.class("buttons")) {
            button(
                Attribute("formaction", formAddress(of: action, values, "/check")),
                Attribute("formnovalidate", if: true)
            ) { words("deed.next") }
        }
    }

    /// What is wrong, in the order of the fields, so that the reader goes through the form once.
    @HTMLBuilder private func problems(_ problems: [String: String], at fields: [Field]) -> HTML {
        if !problems.isEmpty {
            div(.class("notice bad"), .role("alert"), .tabindex(-1), .autofocus(if: true)) {
                p { words("deed.problems") }
                links(to: problems, at: fields)
            }
        }
    }

    func links(to problems: [String: String], at fields: [Field]) -> HTML {
        let places = fields.enumerated().reduce(into: [String: Int]()) { $0[$1.element.name] = $1.offset }
        let sorted = problems.sorted { (places[$0.key] ?? .max, $0.key) < (places[$1.key] ?? .max, $1.key) }
        return ul {
            for problem in sorted {
                let label = places[problem.key].map { "\(fields[$0].label): " } ?? ""
                li { Link(label + problem.value, "#f-\(problem.key)") }
            }
        }
    }

    /// The reason, with the person's last ones, and the ticket.
    private func reasonFields(_ shown: ActionPage) async throws -> [Field] {
        let help =
            switch try? target(of: shown.action, shown.values) {
            case .member, .members: (reason: "deed.reason-help", ticket: "deed.ticket-help")
            default: (reason: "deed.reason-help-app", ticket: "deed.ticket-help-app")
            }
        let earlier = try await run(.lastReasons(of: person.id))
        var reason = Field(
            "reason", words("deed.reason"), .lines, value: shown.values["reason"] ?? "", help: words(help.reason),
            isRequired: true, limit: 1_000)
        // An earlier one will do.
        reason.isLeftToServer = !earlier.isEmpty
        reason.problem = shown.problems["reason"]
        var ticket = Field(
            "ticket", words("deed.ticket"), value: shown.values["ticket"] ?? "", help: words(help.ticket), limit: 100)
        ticket.problem = shown.problems["ticket"]
        guard !earlier.isEmpty else { return [reason, ticket] }
        let options = earlier.map { Field.Option($0, Self.line(of: $0)) }
        let choice = Field(
            "earlierReason", words("deed.earlier-reason"), .choice([Field.Option("", "–")] + options),
            value: shown.values["earlierReason"] ?? "")
        return [reason, choice, ticket]
    }

    /// A text in one line of a list.
    private static func line(of text: String) -> String {
        let line = text.lines.joined(separator: " ")
        return line.count > 60 ? "\(line.prefix(59))…" : line
    }

    /// Who has changed the target last, and what.
    private func lastChange(of target: ActionTarget) async throws -> Table? {
        guard let record = try await run(.operatorRecords(of: target, limit: 1)).first else { return nil }
        let difference = changes(from: record.before ?? TargetState(), to: record.after ?? TargetState())
        return Table(
            words(
                "deed.last-change",
                [
                    "name": record.personName, "action": words("deed.\(record.action)"),
                    "time": local.absolute(record.date),
                ]), [words("deed.what-changed"), words("deed.before"), words("deed.after")],
            difference.map { TableRow([Cell($0.label), Cell($0.before), Cell($0.after)]) },
            empty: words("deed.no-difference")
        ).wrapping
    }
}

// What will happen, and the button that does it. The script asks for this part alone, each time when somebody pauses in typing.
extension PageRequest {
    func will(of shown: ActionPage) throws -> HTML {
        let marks = try shown.forecast.map { forecast in
            [
                Field("once", "", .hidden, value: once()), Field("seen", "", .hidden, value: forecast.seen),
                Field(
                    "shown", "", .hidden, value: try confirmation(of: shown.action, shown.sent, seen: forecast.seen)),
            ]
        }
        let part = WillPart(request)
        let problems = part?.problems(of: shown) ?? shown.problems
        let cancel = try shown.forecast.map { _ in try cancelAddress(of: shown.action, shown.values) }
        return section(.class("will"), Attribute("aria-live", "polite")) {
            h2 { words("deed.what") }
            if let preview = shown.forecast?.preview, let marks, let cancel {
                all(marks)
                if !shown.fields.isEmpty { p(.class("verdict")) { text(preview.title) } }
                said(preview)
                confirm(shown, preview, cancel: cancel)
            } else if problems.isEmpty {
                p(.class("small")) { words("deed.not-yet") }
            } else {
                p { words("deed.problems") }
                // A whole page lists them above its form.
                if part != nil { links(to: problems, at: shown.fields) }
            }
        }
    }

    /// What stands between what will happen and the button that does it.
    @HTMLBuilder private func confirm(_ shown: ActionPage, _ preview: Preview, cancel: String) -> HTML {
        for field in confirmationFields(shown) {
            if field.name == "password" {
                h2 { words("deed.sign-in") }
                userName(person.name)
            }
            field
        }
        div(.class("buttons")) {
            button(.class(preview.isDangerous ? "danger" : "primary")) {
                preview.button.map(text) ?? words("deed.\(shown.action.about.name)")
            }
            " "
            a(.class("button"), .href(cancel), Attribute("data-replace", if: true)) { words("deed.cancel") }
        }
    }

    /// The consequences, what players read, and what can be undone.
    @HTMLBuilder private func said(_ preview: Preview) -> HTML {
        ul(.class("consequences")) {
            for consequence in preview.consequences { li { text(consequence) } }
        }
        if !preview.playerReads.isEmpty {
            h2 { words("deed.player-reads") }
            dl(.class("facts")) {
                for read in preview.playerReads {
                    dt { read.language == Preview.everyLanguage ? words("frame.all") : languageName(read.language) }
                    dd { blockquote { Cell(read.text) } }
                }
            }
        }
        if let table = preview.table { self.table(table) }
        p(.class("undo-note")) { text(preview.undo) }
    }

    /// The word that has to be typed, and a new sign-in, where the change takes them.
    func confirmationFields(_ shown: ActionPage) -> [Field] {
        guard let preview = shown.forecast?.preview else { return [] }
        var fields: [Field] = []
        if let typed = preview.typed {
            fields.append(Field("typed", words("deed.typed", ["text": typed]), isRequired: true, limit: 64))
        }
        if needsSignIn(shown.action, preview) {
            fields.append(
                Field(
                    "password", words("sign-in.password"), .password, isRequired: true, limit: 512,
                    autocomplete: "current-password"))
            fields.append(.proofCode(words))
        }
        return fields.map { field in
            var field = field
            field.problem = shown.problems[field.name]
            return field
        }
    }

    func needsSignIn(_ action: any OperatorAction.Type, _ preview: Preview) -> Bool {
        max(action.about.step, preview.step) >= .fresh && !session.isElevated(at: moment)
    }
}

/// The script's request for what will happen alone, while somebody fills in the form.
struct WillPart {
    /// The fields in which the reader has typed, or which the reader has left.
    private let reached: Set<String>

    /// Nil for a request for a whole page.
    init?(_ request: Request) {
        let words = request.headers.value(of: .part)?.parts(at: " ") ?? []
        guard String(words.first ?? "").isExactly("will") else { return nil }
        reached = Set(words.dropFirst().map { String($0) })
    }

    /// The problems that the reader can know about: an empty field is none before the reader has come to it.
    func problems(of shown: ActionPage) -> [String: String] {
        shown.problems.filter { shown.values.isSet($0.key) || reached.contains($0.key) }
    }
}

extension HTTPField.Name? {
    /// Asks for a part of a page alone: the name of its class, and then the fields that the reader has reached.
    fileprivate static let part = HTTPField.Name("X-Part")
}
