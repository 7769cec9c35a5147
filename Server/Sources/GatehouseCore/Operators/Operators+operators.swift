import GatehousePlatform
package import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// An action of an owner of the server on another operator.
protocol PersonAction: OperatorAction {
    var name: String { get }
    init(name: String)
}

extension PersonAction {
    package init(on target: ActionTarget) throws {
        guard case .person(let name) = target else {
            throw Refusal.parameter("name", "The action is about an operator.")
        }
        self.init(name: name)
    }

    package var subject: ActionTarget { .person(name) }
    /// What a person may do is chosen by somebody each time.
    package static var undoesExactly: Bool { false }
}

/// Makes a person an operator.
package struct InviteOperator: PersonAction {
    package static let about = OperatorActionAbout(
        "operator.invited", role: .owner, step: .fresh, section: "operators", subject: .person,
        undo: DisableOperator.self)
    package static let inputs: [Input<Self>] = [.newName, .firstGrant]

    let name: String
    fileprivate(set) var grants: [GrantScope: OperatorRole] = [:]

    package init(name: String, grants: [GrantScope: OperatorRole]) {
        self.init(name: name)
        self.grants = grants
    }

    init(name: String) {
        self.name = name.typedName
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        guard OperatorRules.isName(name) else { throw InputProblems(["name": "problem.operator-name"]) }
        guard try OperatorQueries.find(named: name, in: tx) == nil else {
            throw InputProblems(["name": "problem.operator-taken"])
        }
        guard try grants.known(in: tx) == grants else { throw InputProblems(["scope": "problem.choice"]) }
        return Preview(
            Phrase("operators.invite-title", ["name": .text(name)]),
            [Phrase("operators.may", ["name": .text(name), "grants": .grants(grants)])]
                + (grants[.everything] == nil ? [] : ["operators.everything-what"]) + ["operators.link"],
            undo: "operators.invite-undo")
    }

    package func perform(_ work: Work) async throws -> EnrolmentLink {
        try OperatorRules.requireName(name)
        return try await work.enrolling(name) { change, tx in
            guard try grants.known(in: tx) == grants else {
                throw Refusal.parameter("scope", "There is no app of this id.")
            }
            let id = OperatorID(TimeOrderedID.entry(at: change.moment, random: change.random))
            try OperatorQueries.insert(Operator(id: id, name: name, createdAt: change.moment), in: tx)
            try OperatorQueries.setGrants(grants, of: id, in: tx)
            try change.record(.invited, of: name, ["grants": grants.text], in: tx)
            return id
        }
    }

    package static func result(_ link: EnrolmentLink) -> ActionResult { link.result }
}

/// Lets an operator enrol again, for example after losing the second factor. What the person has had is void at once.
package struct ResetOperatorFactor: PersonAction {
    package static let about = OperatorActionAbout(
        "operator.factor-reset", role: .owner, step: .fresh, section: "operators", subject: .person)

    let name: String

    package init(name: String) {
        self.name = name.typedName
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let person = try context.otherOperator(named: name, in: tx)
        return Preview(
            Phrase("operators.reset-title", ["name": .text(person.name)]), ["operators.reset-what", "operators.link"],
            undo: "operators.reset-undo")
    }

    package func perform(_ work: Work) async throws -> EnrolmentLink {
        try await work.enrolling(name) { change, tx in
            let id = try OperatorRules.known(name, in: tx).id
            // What somebody else may hold is void as soon as a new link is out.
            try OperatorQueries.deleteCredentials(of: id, in: tx)
            try OperatorSessionQueries.delete(of: id, in: tx)
            try OperatorQueries.voidInvitations(of: id, in: tx)
            try change.record(.factorReset, of: name, in: tx)
            return id
        }
    }

    package static func result(_ link: EnrolmentLink) -> ActionResult { link.result }
}

/// The secret of a link with which a person sets a password and a second factor. It is returned only when it is made.
package struct EnrolmentLink: Sendable {
    package let token: OperatorToken
    /// When it ends.
    package let end: Moment

    package var text: String { token.text }

    fileprivate var result: ActionResult {
        var result = ActionResult()
        result.enrolment = token
        result.secretsEnd = end
        return result
    }
}

/// Sets the roles of an operator, in place of all former ones. The operator's sessions end (CON-10).
package struct GrantOperator: PersonAction {
    package static let about = OperatorActionAbout(
        "operator.granted", role: .owner, step: .fresh, section: "operators", subject: .person,
        undo: GrantOperator.self)
    package static let inputs: [Input<Self>] = [.grants]

    let name: String
    fileprivate(set) var grants: [GrantScope: OperatorRole] = [:]

    package init(name: String, grants: [GrantScope: OperatorRole]) {
        self.init(name: name)
        self.grants = grants
    }

    init(name: String) {
        self.name = name.typedName
    }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        grants = try context.otherOperator(named: name, in: tx).grants
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let person = try context.otherOperator(named: name, in: tx)
        let grants = try grants.known(in: tx)
        guard !grants.isEmpty else { throw InputProblems(["grant.*": "problem.no-role"]) }
        guard grants != person.grants else { throw InputProblems(["grant.*": "problem.nothing-changed"]) }
        func says(_ key: String, _ grants: [GrantScope: OperatorRole]) -> Phrase {
            Phrase(key, ["name": .text(person.name), "grants": .grants(grants)])
        }
        return Preview(
            Phrase("operators.grant-title", ["name": .text(person.name)]),
            [says("operators.could", person.grants), says("operators.may", grants), "operators.sessions-end"],
            undo: "operators.grant-undo")
    }

    package func perform(_ work: Work) async throws {
        try work.actor.requireOther(than: name)
        try await work.changeOperator { change, tx in
            let person = try OperatorRules.known(name, in: tx)
            let grants = try grants.known(in: tx)
            try OperatorRules.keepingAnOwner(in: tx) {
                try OperatorQueries.setGrants(grants, of: person.id, in: tx)
            }
            try OperatorSessionQueries.delete(of: person.id, in: tx)
            try change.record(
                .granted, of: name, ["grants": grants.text, "grantsBefore": person.grants.text], in: tx)
        }
    }
}

/// Lets an operator sign in no more. The operator's sessions end (CON-10).
package struct DisableOperator: PersonAction {
    package static let about = OperatorActionAbout(
        "operator.disabled", role: .owner, step: .fresh, section: "operators", subject: .person,
        undo: EnableOperator.self)

    let name: String

    package init(name: String) {
        self.name = name.typedName
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let person = try context.otherOperator(named: name, in: tx)
        var preview = Preview(
            Phrase("operators.disable-title", ["name": .text(person.name)]),
            ["operators.disable-what", "operators.sessions-end"], undo: "operators.disable-undo")
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws { try await work.setDisabled(true, name) }
}

/// Lets a disabled operator sign in again.
package struct EnableOperator: PersonAction {
    package static let about = OperatorActionAbout(
        "operator.enabled", role: .owner, step: .fresh, section: "operators", subject: .person,
        undo: DisableOperator.self)

    let name: String

    package init(name: String) {
        self.name = name.typedName
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let person = try context.otherOperator(named: name, in: tx)
        return Preview(
            Phrase("operators.enable-title", ["name": .text(person.name)]),
            [Phrase("operators.may", ["name": .text(person.name), "grants": .grants(person.grants)])],
            undo: "operators.enable-undo")
    }

    package func perform(_ work: Work) async throws { try await work.setDisabled(false, name) }
}

extension Work {
    /// Changes an operator, and records in the same transaction what was done. The audit lines follow the commit.
    fileprivate func changeOperator<Value: Sendable>(
        _ body: @escaping @Sendable (OperatorChange, Transaction) throws -> Value
    ) async throws -> Value {
        try await services.changeOperators(
            actor.origin, at: actor.confirmation?.address ?? "", at: moment
        ) { [observer] change, tx in
            guard let observer else { return try body(change, tx) }
            return try observer.observing(in: tx) { (value: try body(change, tx), change: change) }.value
        }
    }

    /// - Parameter prepare: makes the person ready to enrol, and returns who it is.
    fileprivate func enrolling(
        _ name: String, _ prepare: @escaping @Sendable (OperatorChange, Transaction) throws -> OperatorID
    ) async throws -> EnrolmentLink {
        let token = OperatorToken(random: services.random)
        let sealed = try services.vault.seal(
            services.random.bytes(TOTP.secretLength), for: .operatorSecret(token.text))
        let end = moment.adding(seconds: OperatorRules.invitationSeconds)
        try await changeOperator { change, tx in
            try OperatorQueries.insertInvitation(
                OperatorRules.hash(of: token.text), of: prepare(change, tx), sealedSecret: sealed, until: end, in: tx)
        }
        return EnrolmentLink(token: token, end: end)
    }

    fileprivate func setDisabled(_ isDisabled: Bool, _ name: String) async throws {
        try actor.requireOther(than: name)
        try await changeOperator { change, tx in
            let person = try OperatorRules.known(name, in: tx)
            try OperatorRules.keepingAnOwner(in: tx) {
                try OperatorQueries.setDisabled(isDisabled, person.id, in: tx)
            }
            try OperatorSessionQueries.delete(of: person.id, in: tx)
            try change.record(isDisabled ? .disabled : .enabled, of: name, in: tx)
        }
    }
}

extension Actor {
    /// An operator of the console can't change the own roles. The command is not asked, because it needs the database's file or password.
    ///
    /// - Throws: 5 for a person of the console who changes the person's own grants.
    fileprivate func requireOther(than name: String) throws {
        guard door != .console || self.name != name else {
            throw Refusal(.userPermission, "You can't change your own roles. Ask another owner.", httpStatus: 403)
        }
    }
}

extension OperatorContext {
    /// An operator other than the one who asks, because nobody changes the own roles.
    ///
    /// - Throws: ``ImpossibleAction``
    fileprivate func otherOperator(named name: String, in tx: Reader) throws -> Operator {
        guard let person = try OperatorQueries.find(named: name, in: tx)?.person else {
            throw ImpossibleAction(phrase: "error.no-page", parameter: "name", isMissing: true)
        }
        guard actor.door != .console || person.name != actor.name else {
            throw ImpossibleAction(phrase: "problem.own-roles", parameter: "name", isForbidden: true)
        }
        return person
    }
}

extension OperatorRules {
    /// - Throws: 3 for an unknown one.
    fileprivate static func known(_ name: String, in tx: Reader) throws -> Operator {
        guard let found = try OperatorQueries.find(named: name, in: tx) else {
            throw Refusal.parameter("name", "There is no operator of this name.")
        }
        return found.person
    }
}

extension [GrantScope: OperatorRole] {
    /// Without those in apps that are not there.
    fileprivate func known(in tx: Reader) throws -> Self {
        let apps = Set(try AppQueries.apps(in: tx).map { GrantScope.app($0.id) })
        return filter { $0.key == .everything || apps.contains($0.key) }
    }
}

// MARK: The forms

extension Input where A == InviteOperator {
    /// The name, which is what the action is about.
    fileprivate static var newName: Self {
        Input { action, _, _ in
            var field = InputField(
                name: "name", label: "operators.name", kind: .text, value: action.name, help: "operators.name-help",
                isRequired: true, limit: 64)
            field.isName = true
            return [field]
        } read: { _, _, _ in
        }
    }

    /// One role, in one app or in all. Neither is chosen beforehand, so that nobody gives away more than was meant.
    fileprivate static var firstGrant: Self {
        Input { _, _, tx in
            let scopes =
                [InputField.Option(value: "", label: "operators.choose")]
                + (try AppQueries.apps(in: tx).map { .init(value: $0.id.rawValue, label: .inApp($0)) })
                + [.init(value: GrantScope.everything.text, label: "operators.everything")]
            return [
                InputField(
                    name: "scope", label: "operators.scope", kind: .choice(scopes), help: "operators.scope-help"),
                InputField(name: "role", label: "operators.role", kind: .choice(InputField.roles)),
            ]
        } read: { action, values, _ in
            var problems = InputProblems()
            let scope = values.text("scope").map { GrantScope($0) }
            if scope == nil { problems.phrases["scope"] = "problem.choice" }
            let role = values.text("role").flatMap { OperatorRole(rawValue: $0) }
            if role == nil { problems.phrases["role"] = "problem.choice" }
            guard let scope, let role else { throw problems }
            action.grants = [scope: role]
        }
    }
}

extension Input where A == GrantOperator {
    /// How many apps a form has a field for, beside those in which the person has a role.
    private static var mostApps: Int { 100 }

    /// A field for the role in every app and on the server, and one for each app: first those in which the person has a role, because the
    /// form replaces all roles.
    fileprivate static var grants: Self {
        Input { action, _, tx in
            let everything = InputField(
                name: "grant.*", label: "operators.everything", kind: .choice(InputField.roles),
                value: action.grants[.everything]?.rawValue ?? "", help: "operators.everything-help")
            let apps = try AppQueries.apps(in: tx)
            let own = apps.filter { action.grants[.app($0.id)] != nil }
            let others = apps.filter { action.grants[.app($0.id)] == nil }.prefix(max(0, mostApps - own.count))
            return [everything]
                + (own + others).map { app in
                    InputField(
                        name: "grant.\(app.id)", label: .inApp(app), kind: .choice(InputField.roles),
                        value: action.grants[.app(app.id)]?.rawValue ?? "")
                }
        } read: { action, values, _ in
            action.grants = [:]
            for (scope, text) in values.texts("grant") {
                guard let role = OperatorRole(rawValue: text) else {
                    throw InputProblems(["grant.\(scope)": "problem.choice"])
                }
                action.grants[GrantScope(scope)] = role
            }
        }
    }
}

extension InputField {
    fileprivate static var roles: [Option] {
        [Option(value: "", label: "operators.no-role")]
            + OperatorRole.allCases.map { Option(value: $0.rawValue, label: Phrase("role.\($0.rawValue)")) }
    }
}

extension Phrase {
    fileprivate static func inApp(_ app: App) -> Phrase { Phrase("operators.in-app", ["app": .text(app.name)]) }
}
