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
        fields: { visit, _ in
            [
                Field(
                    "name", visit.words("apps.name"), help: visit.words("apps.name-help"), isRequired: true,
                    limit: 100),
                Field("appId", visit.words("apps.id"), help: visit.words("apps.id-help"), limit: 32),
            ]
        },
        // The id is chosen before the confirmation, which names it.
        seal: { visit, values in
            guard let name = values["name"], !values.isSet("appId") else { return values }
            var values = values
            values["appId"] = AppID.suggested(for: name, besides: try await visit.appIDs()).rawValue
            return values
        },
        preview: { visit, values in
            let (id, name) = (AppID(values["appId"] ?? ""), values["name"] ?? "")
            var problems = CreateApp(id: id, name: name).problems.mapValues(visit.text)
            if try await visit.appIDs().contains(id) { problems["appId"] = visit.words("apps.id-taken") }
            guard problems.isEmpty else { throw FormProblems(problems) }
            return DeedPreview(
                visit.words("apps.create-title", ["name": name]),
                [
                    visit.words("apps.create-what", ["id": id.rawValue]), visit.words("apps.create-key"),
                    visit.words("secrets.shown-once"),
                ],
                undo: visit.words("apps.create-undo"), button: visit.words("deed.app.created"),
                cancel: Console.prefix)
        },
        perform: { visit, values, call in
            let id = AppID(values["appId"] ?? "")
            let secret = try await call.run(CreateApp(id: id, name: values["name"] ?? ""))
            return DeedResult(
                "\(Console.prefix)/apps/\(FormValues.encoded(id.rawValue))/start",
                secrets: [
                    Fact(visit.words("apps.id"), .code(id.rawValue)),
                    Fact(visit.words("secrets.key"), .code(secret.secretValue)),
                ])
        })
}

extension Visit {
    fileprivate func appIDs() async throws -> Set<AppID> { Set(try await run(ListApps()).map(\.id)) }
}

extension Console {
    /// What an owner of the server does to other operators.
    static let operatorDeeds = [invite, grant, resetFactor, disable, enable]

    private static func person(_ values: FormValues) -> DeedTarget { .person(name(values)) }
    private static func name(_ values: FormValues) -> String { (values["name"] ?? "").typedName }

    private static let invite = DeedKind(
        name: "operator.invited", level: .fresh, role: .owner, section: "operators", undo: "operator.disabled",
        isOfServer: true, target: { person($0) },
        fields: { visit, _ in
            [
                Field(
                    "name", visit.words("operators.name"), help: visit.words("operators.name-help"), isRequired: true,
                    limit: 64, keyboard: .name)
            ] + (try await firstGrantFields(visit))
        },
        preview: { visit, values in
            let name = name(values)
            let isName =
                !name.isEmpty
                && name.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || [0x2d, 0x2e, 0x5f].contains($0)
                }
            guard isName else { throw FormProblems(["name": visit.words("problem.operator-name")]) }
            guard try await visit.run(ListOperators()).allSatisfy({ $0.name != name }) else {
                throw FormProblems(["name": visit.words("problem.operator-taken")])
            }
            let grants = try await firstGrant(visit, values)
            var consequences = [visit.words("operators.may", ["name": name, "grants": visit.grants(grants)])]
            if grants[.everything] != nil { consequences.append(visit.words("operators.everything-what")) }
            return DeedPreview(
                visit.words("operators.invite-title", ["name": name]), consequences + [visit.words("operators.link")],
                undo: visit.words("operators.invite-undo"), button: visit.words("deed.operator.invited"),
                cancel: visit.address("operators"))
        },
        perform: { visit, values, call in
            let token = try await call.run(
                InviteOperator(name: name(values), grants: try await firstGrant(visit, values)))
            return DeedResult(visit.address("operators"), secrets: [visit.link(of: token)], secretsEnd: visit.linkEnd)
        })

    private static let grant = DeedKind(
        name: "operator.granted", level: .fresh, role: .owner, section: "operators", undo: "operator.granted",
        isOfServer: true, target: { person($0) },
        fields: { visit, values in try await grantFields(visit, try await visit.person(named: name(values)).grants) },
        preview: { visit, values in
            let other = try await visit.person(named: name(values))
            let grants = try await grants(visit, values)
            guard grants != other.grants else {
                throw FormProblems(["grant.*": visit.words("problem.nothing-changed")])
            }
            return DeedPreview(
                visit.words("operators.grant-title", ["name": other.name]),
                [
                    visit.words("operators.could", ["name": other.name, "grants": visit.grants(of: other)]),
                    visit.words("operators.may", ["name": other.name, "grants": visit.grants(grants)]),
                    visit.words("operators.sessions-end"),
                ], undo: visit.words("operators.grant-undo"), button: visit.words("deed.operator.granted"),
                cancel: visit.address("operators"))
        },
        perform: { visit, values, call in
            try await call.run(GrantOperator(name: name(values), grants: try await grants(visit, values)))
            return DeedResult(visit.address("operators"))
        })

    private static let resetFactor = DeedKind(
        name: "operator.factor-reset", level: .fresh, role: .owner, section: "operators", isOfServer: true,
        target: { person($0) },
        preview: { visit, values in
            let other = try await visit.person(named: name(values))
            return DeedPreview(
                visit.words("operators.reset-title", ["name": other.name]),
                [visit.words("operators.reset-what"), visit.words("operators.link")],
                undo: visit.words("operators.reset-undo"), button: visit.words("deed.operator.factor-reset"),
                cancel: visit.address("operators"))
        },
        perform: { visit, values, call in
            let token = try await call.run(InviteOperator(name: name(values), grants: nil))
            return DeedResult(visit.address("operators"), secrets: [visit.link(of: token)], secretsEnd: visit.linkEnd)
        })

    private static let disable = DeedKind(
        name: "operator.disabled", level: .fresh, role: .owner, section: "operators", undo: "operator.enabled",
        isOfServer: true, target: { person($0) },
        preview: { visit, values in
            let other = try await visit.person(named: name(values))
            return DeedPreview(
                visit.words("operators.disable-title", ["name": other.name]),
                [visit.words("operators.disable-what"), visit.words("operators.sessions-end")],
                undo: visit.words("operators.disable-undo"), button: visit.words("deed.operator.disabled"),
                cancel: visit.address("operators"), isDangerous: true)
        },
        perform: { visit, values, call in
            try await call.run(DisableOperator(name: name(values)))
            return DeedResult(visit.address("operators"))
        })

    private static let enable = DeedKind(
        name: "operator.enabled", level: .fresh, role: .owner, section: "operators", undo: "operator.disabled",
        isOfServer: true, target: { person($0) },
        preview: { visit, values in
            let other = try await visit.person(named: name(values))
            return DeedPreview(
                visit.words("operators.enable-title", ["name": other.name]),
                [visit.words("operators.may", ["name": other.name, "grants": visit.grants(of: other)])],
                undo: visit.words("operators.enable-undo"), button: visit.words("deed.operator.enabled"),
                cancel: visit.address("operators"))
        },
        perform: { visit, values, call in
            try await call.run(DisableOperator(name: name(values), isDisabled: false))
            return DeedResult(visit.address("operators"))
        })

    /// One role, in one app or in all. Neither is chosen beforehand, so that nobody gives away more than was meant.
    private static func firstGrantFields(_ visit: Visit) async throws -> [Field] {
        let scopes =
            [Field.Option("", visit.words("operators.choose"))]
            + (try await visit.run(ListApps()).map {
                Field.Option($0.id.rawValue, visit.words("operators.in-app", ["app": $0.name]))
            })
            + [Field.Option(GrantScope.everything.text, visit.words("operators.everything"))]
        let roles =
            [Field.Option("", visit.words("operators.no-role"))]
            + OperatorRole.allCases.map { Field.Option($0.rawValue, visit.words("role.\($0.rawValue)")) }
        return [
            Field("scope", visit.words("operators.scope"), .choice(scopes), help: visit.words("operators.scope-help")),
            Field("role", visit.words("operators.role"), .choice(roles)),
        ]
    }

    private static func firstGrant(_ visit: Visit, _ values: FormValues) async throws -> [GrantScope: OperatorRole] {
        var problems: [String: String] = [:]
        let scope = values["scope"].map { GrantScope($0) }
        let apps = try await visit.run(ListApps()).map { GrantScope.app($0.id) }
        if !([.everything] + apps).contains(where: { $0 == scope }) {
            problems["scope"] = visit.words("problem.choice")
        }
        let role = values["role"].flatMap { OperatorRole(rawValue: $0) }
        if role == nil { problems["role"] = visit.words("problem.choice") }
        guard problems.isEmpty, let scope, let role else { throw FormProblems(problems) }
        return [scope: role]
    }

    /// A field for the role in every app and on the server, and one for each app.
    private static func grantFields(_ visit: Visit, _ known: [GrantScope: OperatorRole]) async throws -> [Field] {
        let roles =
            [Field.Option("", visit.words("operators.no-role"))]
            + OperatorRole.allCases.map { Field.Option($0.rawValue, visit.words("role.\($0.rawValue)")) }
        let everything = Field(
            "grant.*", visit.words("operators.everything"), .choice(roles), value: known[.everything]?.rawValue ?? "",
            help: visit.words("operators.everything-help"))
        return [everything]
            + (try await shownApps(visit, known).map { app in
                Field(
                    "grant.\(app.id.rawValue)", visit.words("operators.in-app", ["app": app.name]), .choice(roles),
                    value: known[.app(app.id)]?.rawValue ?? "")
            })
    }

    /// The apps that a form has a field for: those in which the person has a role, because the form replaces all roles, and then as many
    /// as a page holds.
    private static func shownApps(
        _ visit: Visit, _ known: [GrantScope: OperatorRole]
    ) async throws -> [(id: AppID, name: String)] {
        let apps = try await visit.run(ListApps()).map { (id: $0.id, name: $0.name) }
        let own = apps.filter { known[.app($0.id)] != nil }
        return own + apps.filter { known[.app($0.id)] == nil }.prefix(max(0, 100 - own.count))
    }

    /// The roles that were chosen, in the apps that there are.
    private static func grants(_ visit: Visit, _ values: FormValues) async throws -> [GrantScope: OperatorRole] {
        let scopes = [GrantScope.everything] + (try await visit.run(ListApps()).map { .app($0.id) })
        var grants: [GrantScope: OperatorRole] = [:]
        for scope in scopes {
            guard let text = values["grant.\(scope.text)"] else { continue }
            guard let role = OperatorRole(rawValue: text) else {
                throw FormProblems(["grant.\(scope.text)": visit.words("problem.choice")])
            }
            grants[scope] = role
        }
        guard !grants.isEmpty else { throw FormProblems(["grant.*": visit.words("problem.no-role")]) }
        return grants
    }
}

extension Visit {
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
