import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

extension Console {
    /// The three steps of every change: form, confirmation, result.
    static func addDeeds(to pages: Pages) {
        pages.app("/do/:deed") { visit in try await visit.begin(visit.deedKind()) }
        // The confirmation answers a form, so its address alone leads back to the form.
        pages.app("/do/:deed/check") { visit in
            Console.redirect(to: visit.deed(try visit.deedKind().name, visit.query.all))
        }
        pages.server("/do/:deed/check", as: .viewer) { visit in
            Console.redirect(to: visit.deed(try visit.deedKind().name, visit.query.all))
        }
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
        let parts = kept.path.parts(at: "/").map(String.init)
        var values = FormValues(kept.fields)
        // It was sent: a box that is not ticked was unticked.
        values["token"] = visit.formToken
        if parts.count >= 3, parts[1] == "do", let kind = deeds[parts[2]], kind.isOfServer {
            guard let role = visit.person.serverRole, role >= kind.role else { return nil }
            return try await visit.check(kind, values)
        }
        guard parts.count >= 5, parts[1] == "apps", parts[3] == "do", let kind = deeds[parts[4]], !kind.isOfServer
        else { return nil }
        let id = AppID(parts[2].percentDecoded ?? "")
        guard let role = visit.person.role(in: id), role >= kind.role,
            let app = try? await actions.context(of: id, at: visit.moment).view.app
        else { return nil }
        var visit = visit
        visit.enter(app, as: role)
        return try await visit.check(kind, values)
    }
}

extension Visit {
    /// The address of a deed's form.
    func deed(_ name: String, _ fields: [String: String] = [:]) -> String {
        let query = FormValues(fields).encoded
        return address("do/\(name)") + (query.isEmpty ? "" : "?\(query)")
    }

    /// A value that makes a form count once.
    func once() -> String { Base64URL.encode(console.random.bytes(16)) }

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

    /// The form, or else the confirmation of a deed that leaves nothing to choose.
    fileprivate func begin(_ kind: DeedKind) async throws -> Response {
        // way: ban 190
        let fields = try await kind.fields(self, query)
        if fields.isEmpty { return try await confirmation(of: kind, query) }
        return try await form(of: kind, query, fields)
    }

    func form(
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
        page.here = here(kind, values)
        page.status = problems.isEmpty ? .ok : .unprocessableContent
        if request.method == .post { page.again = again(kind, values) }
        let presets = kind.presets(self)
        return show(page) {
            self.problems(problems, at: shown)
            if !presets.isEmpty {
                nav(.ariaLabel(words("deed.presets"))) { choices(presets) }
            }
            changing(action(of: kind, values, "/check"), class: "card") {
                all(hidden(values, besides: Set(fields.map(\.name))))
                all(shown)
                div(.class("buttons")) { button(.class("primary")) { words("deed.next") } }
                p(.class("small")) { words("deed.next-help") }
            }
        }
    }

    /// Where a form of a deed is sent. The address names the target, so that it leads back to the form when it is opened by itself.
    func action(of kind: DeedKind, _ values: FormValues, _ step: String = "") -> String {
        let query = FormValues((try? kind.target(values))?.fields.filter { !$0.value.isEmpty } ?? [:]).encoded
        return address("do/\(kind.name)") + step + (query.isEmpty ? "" : "?\(query)")
    }

    /// The form with its values, as ``Page/again`` has it.
    func again(_ kind: DeedKind, _ values: FormValues) -> String {
        let kept = values.all.filter { !Self.ownFields.contains($0.key) && !KeptForm.isSecret($0.key) }
        return address("do/\(kind.name)/check") + "?\(FormValues(kept).encoded)"
    }

    /// What is wrong, in the order of the fields, so that the reader goes through the form once.
    @HTMLBuilder func problems(_ problems: [String: String], at fields: [Field]) -> HTML {
        let places = fields.enumerated().reduce(into: [String: Int]()) { $0[$1.element.name] = $1.offset }
        let sorted = problems.sorted { (places[$0.key] ?? .max, $0.key) < (places[$1.key] ?? .max, $1.key) }
        if !sorted.isEmpty {
            div(.class("notice bad"), .role("alert"), .tabindex(-1)) {
                p { words("deed.problems") }
                ul {
                    for problem in sorted { li { Link(problem.value, "#f-\(problem.key)") } }
                }
            }
        }
    }

    /// The fields of the address that a form hands on, such as the member.
    func hidden(_ values: FormValues, besides shown: Set<String>) -> [Field] {
        values.all.filter { !shown.contains($0.key) && !Self.ownFields.contains($0.key) }
            .sorted { $0.key < $1.key }.map { Field($0.key, "", .hidden, value: $0.value) }
    }

    /// Where the form can be opened again. Only the target stands in the address, because a form may hold a provider's secret.
    func here(_ kind: DeedKind, _ values: FormValues) -> String {
        switch try? kind.target(values) {
        case .member(let user): deed(kind.name, ["user": user.rawValue])
        case .provider(let provider): deed(kind.name, ["provider": provider.rawValue])
        default: address(kind.section == "overview" ? "" : kind.section)
        }
    }

    private static let ownFields: Set = [
        "token", "once", "seen", "reason", "ticket", "typed", "password", "code", "done",
    ]

    func crumbs(of kind: DeedKind, _ values: FormValues) -> [Link] {
        var crumbs = [Link(words("nav.\(kind.section)"), address(kind.section))]
        if case .member(let user)? = try? kind.target(values), !user.rawValue.isEmpty {
            crumbs.append(Link(user.rawValue, address("members/\(FormValues.encoded(user.rawValue))")))
        }
        return crumbs
    }
}

extension Field {
    fileprivate var isSecret: Bool { if case .password = kind { true } else { false } }
}
