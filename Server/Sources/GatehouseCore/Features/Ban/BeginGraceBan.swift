import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Begins a member's grace ban.
package struct BeginGraceBan: OperatorAction {
    package static let about = OperatorActionAbout(
        "grace-ban.begun", role: .operator, step: .confirmed, section: "grace-bans", undo: ReleaseGraceBan.self,
        leadsToSection: true)
    package static let inputs: [Input<Self>] = [
        Input { action, _, _ in
            fields(for: action.user)
        } read: { action, values, view in
            do {
                action.graceBan = try graceBan(values, at: view.moment)
            } catch let found as InputProblems {
                action.problems = found
            }
        }
    ]

    let user: UserID
    /// Nil if something is wrong with what was chosen.
    private var graceBan: GraceBan?
    /// What is wrong with what was chosen. It is said together with what is wrong with the member, which only the database knows.
    private var problems = InputProblems()

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    /// The id is typed, perhaps in small letters.
    package static func target(_ values: InputValues) -> DeedTarget {
        .member(UserID(String((values.text("user") ?? "").uppercased().prefix(64))))
    }

    private static func fields(for user: UserID) -> [InputField] {
        let conditions = ["AND", "OR"].map { InputField.Option(value: $0, label: Phrase("grace.rule.\($0)")) }
        return [
            InputField(
                name: "user", label: "members.id", kind: .text, value: user.rawValue, isRequired: true, limit: 64),
            InputField(name: "days", label: "grace.days", kind: .number, value: "7", isRequired: true, limit: 4),
            InputField(name: "count", label: "grace.payments", kind: .number, value: "1", limit: 7),
            InputField(name: "amount", label: "grace.amount", kind: .text, help: "grace.amount-help", limit: 16),
            .currency("currency", "KRW"),
            InputField(name: "condition", label: "grace.rule", kind: .choice(conditions)),
            InputField(
                name: "message", label: "grace.reads", kind: .lines, help: "grace.reads-help", isRequired: true,
                limit: 500),
        ]
    }

    private static func graceBan(_ values: InputValues, at moment: Moment) throws -> GraceBan {
        var problems: [String: Phrase] = [:]
        let days = values.text("days").flatMap { Int64($0) } ?? 0
        if !(1...365).contains(days) { problems["days"] = "problem.days" }
        let count = values.text("count").map { Int($0) ?? -1 } ?? 0
        if !(0...1_000_000).contains(count) { problems["count"] = "problem.number" }
        let amount = values.amount("amount")
        if amount == nil { problems["amount"] = "problem.number" }
        if count == 0, amount == 0 { problems["count"] = "problem.grace-condition" }
        var currency = ""
        do { currency = try values.currency("currency") } catch let found as InputProblems {
            problems.merge(found.phrases) { $1 }
        }
        let message = values.text("message") ?? ""
        if !(1...2_000).contains(message.utf8.count) { problems["message"] = "problem.message" }
        guard problems.isEmpty, let amount else { throw InputProblems(problems) }
        return GraceBan(
            gracePeriodDate: moment.adding(seconds: days * 86_400).milliseconds, message: message,
            paymentStatus: PaymentStatus(amount: 0, count: 0, currency: currency),
            releaseRuleCondition: ReleaseRuleCondition(
                amount: amount, count: count, currency: currency,
                conditionType: values.text("condition") == "OR" ? .or : .and))
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        var problems = problems
        problems.phrases["user"] = try GraceBanRules.obstacle(to: user, view, in: tx)
        guard let graceBan, problems.phrases.isEmpty else { throw problems }
        var preview = Preview(
            Phrase("grace.begin-title", ["user": .user(user)]),
            [
                Phrase("grace.begin-what", ["end": .banEnd(Moment(milliseconds: graceBan.gracePeriodDate))]),
                Phrase("grace.begin-then", ["condition": .condition(graceBan.releaseRuleCondition)]),
            ], undo: "grace.begin-undo")
        preview.isDangerous = true
        preview.playerReads = [(Preview.everyLanguage, graceBan.message)]
        return preview
    }

    package func perform(_ work: Work) async throws -> GraceBan {
        guard let graceBan else { throw problems }
        // Who begins it, and why, is in the actor.
        let request = GraceBanRequest(userId: user, graceBan: graceBan, registeredBy: "")
        return try await RegisterGraceBan(request: request).perform(work)
    }
}

/// Registers a grace ban: the member can play until its deadline, and is then banned permanently unless it has met the condition.
package struct RegisterGraceBan: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.operator

    let request: GraceBanRequest

    package init(request: GraceBanRequest) {
        self.request = request
    }

    package var audited: AuditedRun? { AuditedRun(on: .member(request.userId)) }

    package func perform(_ work: Work) async throws -> GraceBan {
        try await work.transactOnce { change, tx in try GraceBanRules.register(request, change, in: tx) }
    }
}
