import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Hummingbird

extension Console {
    /// What an owner of the server does with apps as a whole. It concerns no app yet.
    static let appDeeds = [createApp]

    /// An id with which no app can be is none, so that nothing of it reaches the database or an address.
    private static func id(_ values: FormValues) -> AppID {
        let id = AppID(values["appId"] ?? "")
        return CreateApp(id: id, name: "").problems["appId"] == nil ? id : AppID("")
    }

    private static let createApp = DeedKind(
        name: "app.created", level: .fresh, role: .owner, section: "apps", isOfServer: true,
        target: { .newApp(id($0)) },
        fields: { page, _ in
            [
                Field(
                    "name", page.words("apps.name"), help: page.words("apps.name-help"), isRequired: true,
                    limit: 100),
                Field("appId", page.words("apps.id"), help: page.words("apps.id-help"), limit: 32),
            ]
        },
        // The id is chosen before the confirmation, which names it.
        seal: { page, values in
            guard let name = values["name"], !values.isSet("appId") else { return values }
            var values = values
            values["appId"] = AppID.suggested(for: name, besides: try await page.appIDs()).rawValue
            return values
        },
        preview: { page, values in
            let (id, name) = (AppID(values["appId"] ?? ""), values["name"] ?? "")
            var problems = CreateApp(id: id, name: name).problems.mapValues(page.text)
            if try await page.appIDs().contains(id) { problems["appId"] = page.words("apps.id-taken") }
            guard problems.isEmpty else { throw FormProblems(problems) }
            return DeedPreview(
                page.words("apps.create-title", ["name": name]),
                [
                    page.words("apps.create-what", ["id": id.rawValue]), page.words("apps.create-key"),
                    page.words("secrets.shown-once"),
                ],
                undo: page.words("apps.create-undo"), button: page.words("deed.app.created"),
                cancel: Console.prefix)
        },
        perform: { page, values, call in
            let id = AppID(values["appId"] ?? "")
            let secret = try await call.run(CreateApp(id: id, name: values["name"] ?? ""))
            return DeedResult(
                "\(Console.prefix)/apps/\(FormValues.encoded(id.rawValue))/start",
                secrets: [
                    Fact(page.words("apps.id"), .code(id.rawValue)),
                    Fact(page.words("secrets.key"), .code(secret.secretValue)),
                ])
        })
}

extension PageRequest {
    fileprivate func appIDs() async throws -> Set<AppID> { Set(try await run(ListApps()).map(\.id)) }
}

extension Console {
    /// What an owner of the server does to other operators.
    static let operatorDeeds = [invite, grant, resetFactor, disable, enable]

    private static func person(_ values: FormValues) -> ActionTarget { .person(name(values)) }
    private static func name(_ values: FormValues) -> String { (values["name"] ?? "").typedName }

    private static let invite = DeedKind(
        name: "operator.invited", level: .fresh, role: .owner, section: "operators", undo: "operator.disabled",
        isOfServer: true, target: { person($0) },
        fields: { page, _ in
            [
                Field(
                    "name", page.words("operators.name"), help: page.words("operators.name-help"), isRequired: true,
                    limit: 64, keyboard: .name)
            ] + (try await firstGrantFields(page))
        },
        preview: { page, values in
            let name = name(values)
            let isName =
                !name.isEmpty
                && name.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || [0x2d, 0x2e, 0x5f].contains($0)
                }
            guard isName else { throw FormProblems(["name": page.words("problem.operator-name")]) }
            guard try await page.run(ListOperators()).allSatisfy({ $0.name != name }) else {
                throw FormProblems(["name": page.words("problem.operator-taken")])
            }
            let grants = try await firstGrant(page, values)
            var consequences = [page.words("operators.may", ["name": name, "grants": page.grants(grants)])]
            if grants[.everything] != nil { consequences.append(page.words("operators.everything-what")) }
            return DeedPreview(
                page.words("operators.invite-title", ["name": name]), consequences + [page.words("operators.link")],
                undo: page.words("operators.invite-undo"), button: page.words("deed.operator.invited"),
                cancel: page.address("operators"))
        },
        perform: { page, values, call in
            let token = try await call.run(
                InviteOperator(name: name(values), grants: try await firstGrant(page, values)))
            return DeedResult(page.address("operators"), secrets: [page.link(of: token)], secretsEnd: page.linkEnd)
        })

    private static let grant = DeedKind(
        name: "operator.granted", level: .fresh, role: .owner, section: "operators", undo: "operator.granted",
        isOfServer: true, target: { person($0) },
        fields: { page, values in try await grantFields(page, try await page.person(named: name(values)).grants) },
        preview: { page, values in
            let other = try await page.person(named: name(values))
            let grants = try await grants(page, values)
            guard grants != other.grants else {
                throw FormProblems(["grant.*": page.words("problem.nothing-changed")])
            }
            return DeedPreview(
                page.words("operators.grant-title", ["name": other.name]),
                [
                    page.words("operators.could", ["name": other.name, "grants": page.grants(of: other)]),
                    page.words("operators.may", ["name": other.name, "grants": page.grants(grants)]),
                    page.words("operators.sessions-end"),
                ], undo: page.words("operators.grant-undo"), button: page.words("deed.operator.granted"),
                cancel: page.address("operators"))
        },
        perform: { page, values, call in
            try await call.run(GrantOperator(name: name(values), grants: try await grants(page, values)))
            return DeedResult(page.address("operators"))
        })

    private static let resetFactor = DeedKind(
        name: "operator.factor-reset", level: .fresh, role: .owner, section: "operators", isOfServer: true,
        target: { person($0) },
        preview: { page, values in
            let other = try await page.person(named: name(values))
            return DeedPreview(
                page.words("operators.reset-title", ["name": other.name]),
                [page.words("operators.reset-what"), page.words("operators.link")],
                undo: page.words("operators.reset-undo"), button: page.words("deed.operator.factor-reset"),
                cancel: page.address("operators"))
        },
        perform: { page, values, call in
            let token = try await call.run(InviteOperator(name: name(values), grants: nil))
            return DeedResult(page.address("operators"), secrets: [page.link(of: token)], secretsEnd: page.linkEnd)
        })

    private static let disable = DeedKind(
        name: "operator.disabled", level: .fresh, role: .owner, section: "operators", undo: "operator.enabled",
        isOfServer: true, target: { person($0) },
        preview: { page, values in
            let other = try await page.person(named: name(values))
            return DeedPreview(
                page.words("operators.disable-title", ["name": other.name]),
                [page.words("operators.disable-what"), page.words("operators.sessions-end")],
                undo: page.words("operators.disable-undo"), button: page.words("deed.operator.disabled"),
                cancel: page.address("operators"), isDangerous: true)
        },
        perform: { page, values, call in
            try await call.run(DisableOperator(name: name(values)))
            return DeedResult(page.address("operators"))
        })

    private static let enable = DeedKind(
        name: "operator.enabled", level: .fresh, role: .owner, section: "operators", undo: "operator.disabled",
        isOfServer: true, target: { person($0) },
        preview: { page, values in
            let other = try await page.person(named: name(values))
            return DeedPreview(
                page.words("operators.enable-title", ["name": other.name]),
                [page.words("operators.may", ["name": other.name, "grants": page.grants(of: other)])],
                undo: page.words("operators.enable-undo"), button: page.words("deed.operator.enabled"),
                cancel: page.address("operators"))
        },
        perform: { page, values, call in
            try await call.run(DisableOperator(name: name(values), isDisabled: false))
            return DeedResult(page.address("operators"))
        })

    /// One role, in one app or in all. Neither is chosen beforehand, so that nobody gives away more than was meant.
    private static func firstGrantFields(_ page: PageRequest) async throws -> [Field] {
        let scopes =
            [Field.Option("", page.words("operators.choose"))]
            + (try await page.run(ListApps()).map {
                Field.Option($0.id.rawValue, page.words("operators.in-app", ["app": $0.name]))
            })
            + [Field.Option(GrantScope.everything.text, page.words("operators.everything"))]
        let roles =
            [Field.Option("", page.words("operators.no-role"))]
            + OperatorRole.allCases.map { Field.Option($0.rawValue, page.words("role.\($0.rawValue)")) }
        return [
            Field("scope", page.words("operators.scope"), .choice(scopes), help: page.words("operators.scope-help")),
            Field("role", page.words("operators.role"), .choice(roles)),
        ]
    }

    private static func firstGrant(_ page: PageRequest, _ values: FormValues) async throws -> [GrantScope: OperatorRole]
    {
        var problems: [String: String] = [:]
        let scope = values["scope"].map { GrantScope($0) }
        let apps = try await page.run(ListApps()).map { GrantScope.app($0.id) }
        if !([.everything] + apps).contains(where: { $0 == scope }) {
            problems["scope"] = page.words("problem.choice")
        }
        let role = values["role"].flatMap { OperatorRole(rawValue: $0) }
        if role == nil { problems["role"] = page.words("problem.choice") }
        guard problems.isEmpty, let scope, let role else { throw FormProblems(problems) }
        return [scope: role]
    }

    /// A field for the role in every app and on the server, and one for each app.
    private static func grantFields(_ page: PageRequest, _ known: [GrantScope: OperatorRole]) async throws -> [Field] {
        let roles =
            [Field.Option("", page.words("operators.no-role"))]
            + OperatorRole.allCases.map { Field.Option($0.rawValue, page.words("role.\($0.rawValue)")) }
        let everything = Field(
            "grant.*", page.words("operators.everything"), .choice(roles), value: known[.everything]?.rawValue ?? "",
            help: page.words("operators.everything-help"))
        return [everything]
            + (try await shownApps(page, known).map { app in
                Field(
                    "grant.\(app.id.rawValue)", page.words("operators.in-app", ["app": app.name]), .choice(roles),
                    value: known[.app(app.id)]?.rawValue ?? "")
            })
    }

    /// The apps that a form has a field for: those in which the person has a role, because the form replaces all roles, and then as many
    /// as a page holds.
    private static func shownApps(
        _ page: PageRequest, _ known: [GrantScope: OperatorRole]
    ) async throws -> [(id: AppID, name: String)] {
        let apps = try await page.run(ListApps()).map { (id: $0.id, name: $0.name) }
        let own = apps.filter { known[.app($0.id)] != nil }
        return own + apps.filter { known[.app($0.id)] == nil }.prefix(max(0, 100 - own.count))
    }

    /// The roles that were chosen, in the apps that there are.
    private static func grants(_ page: PageRequest, _ values: FormValues) async throws -> [GrantScope: OperatorRole] {
        let scopes = [GrantScope.everything] + (try await page.run(ListApps()).map { .app($0.id) })
        var grants: [GrantScope: OperatorRole] = [:]
        for scope in scopes {
            guard let text = values["grant.\(scope.text)"] else { continue }
            guard let role = OperatorRole(rawValue: text) else {
                throw FormProblems(["grant.\(scope.text)": page.words("problem.choice")])
            }
            grants[scope] = role
        }
        guard !grants.isEmpty else { throw FormProblems(["grant.*": page.words("problem.no-role")]) }
        return grants
    }
}

extension PageRequest {
    /// - Throws: 5 for the person's own name, because nobody changes the own roles.
    fileprivate func person(named name: String) async throws -> Operator {
        guard let other = try await run(ListOperators()).first(where: { $0.name == name }) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        guard other.id != person.id else {
            throw Refusal(.userPermission, words("problem.own-roles"), httpStatus: 403)
        }
        return other
    }

    /// When the link of an operator ends.
    fileprivate var linkEnd: Moment { moment.adding(seconds: InviteOperator.linkSeconds) }

    /// The link with which an operator enrols.
    fileprivate func link(of token: OperatorToken) -> Fact {
        let origin = request.headers[.origin] ?? ""
        return Fact(words("operators.enrol-link"), .code("\(origin)\(Console.prefix)/enrol/\(token.text)"))
    }
}
