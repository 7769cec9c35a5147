import GatehousePlatform
import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Begins a member's grace ban: it can play until the deadline, and is then banned permanently unless it has met the condition.
package struct BeginGraceBan: OperatorAction {
    package static let permission = Permission.serve(.moderate)
    package static let about = OperatorActionAbout(
        "grace-ban.begun", role: .operator, step: .confirmed, section: "grace-bans", undo: ReleaseGraceBan.self,
        leadsToSection: true)
    package static let inputs: [Input<Self>] = [
        Input { action, _, _ in
            fields(for: action.user)
        } read: { action, values, context in
            do {
                action.graceBan = try graceBan(values, at: context.moment)
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

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    /// Who begins it is in the actor.
    package init(request: GraceBanRequest) {
        (user, graceBan) = (request.userId, request.graceBan)
    }

    package var subject: ActionTarget { .member(user) }

    /// The id is typed, perhaps in small letters.
    package static func target(_ values: InputValues) -> ActionTarget {
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

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        var problems = problems
        problems.phrases["user"] = try GraceBanRules.obstacle(to: user, context, in: tx)
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
        return try await work.transact(once: .replayed) { change, tx in
            try GraceBanRules.register(graceBan, of: user, change, in: tx)
        }
    }
}

/// Counts a payment towards a member's grace ban.
package struct RecordPayment: OperatorAction {
    package static let permission = Permission.serve(.moderate)
    package static let about = OperatorActionAbout(
        "grace-ban.payment-recorded", role: .operator, step: .confirmed, section: "grace-bans", leadsToSection: true)
    package static let inputs: [Input<Self>] = [
        Input { action, _, _ in
            [
                InputField(
                    name: "payment", label: "grace.payment-id", kind: .text, value: action.payment,
                    help: "grace.payment-help", isRequired: true, limit: 128)
            ]
        } read: { action, values, _ in
            action.payment = values.text("payment") ?? ""
            guard (1...128).contains(action.payment.utf8.count) else {
                throw InputProblems(["payment": "problem.payment"])
            }
        },
        Input { _, _, _ in
            [InputField(name: "amount", label: "grace.paid", kind: .text, isRequired: true, limit: 16)]
        } read: { action, values, _ in
            guard values.text("amount") != nil, let amount = values.amount("amount") else {
                throw InputProblems(["amount": "problem.number"])
            }
            action.amount = amount
        },
        Input { action, _, _ in
            [.currency("currency", action.currency)]
        } read: { action, values, _ in
            action.currency = try values.currency("currency")
        },
    ]

    let user: UserID
    /// The payment's id at the store.
    var payment = ""
    var amount = 0.0
    var currency = ""
    /// Whether a game server reports it. The operators' audit has none of those, because each payment is one.
    private var isReported = false

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package init(report: PaymentReport) {
        (user, payment, amount, currency) = (report.userId, report.paymentId, report.amount, report.currency)
        isReported = true
    }

    package var subject: ActionTarget { .member(user) }
    package var audited: AuditedRun? { isReported ? nil : AuditedRun(Self.about.name, on: subject) }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        currency = try GraceBanRules.open(of: user, context, in: tx).releaseRuleCondition.currency
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let condition = try GraceBanRules.open(of: user, context, in: tx).releaseRuleCondition
        let sum = Phrase.Value.amount(amount, currency: currency)
        var preview = Preview(
            Phrase("grace.pay-title", ["amount": sum]),
            [
                Phrase("grace.pay-what", ["amount": sum, "user": .user(user)]),
                Phrase("grace.pay-then", ["condition": .condition(condition)]),
            ], undo: "grace.pay-undo")
        if currency != condition.currency {
            preview.consequences.append(Phrase("grace.pay-currency", ["currency": .text(condition.currency)]))
        }
        return preview
    }

    package func perform(_ work: Work) async throws -> PaymentOutcome {
        let report = PaymentReport(userId: user, paymentId: payment, amount: amount, currency: currency)
        return try await work.transact(once: .replayed) { change, tx in try GraceBanRules.pay(report, change, in: tx) }
    }
}

/// Ends a member's grace ban without a ban.
package struct ReleaseGraceBan: OperatorAction {
    package static let permission = Permission.serve(.moderate)
    package static let about = OperatorActionAbout(
        "grace-ban.released", role: .operator, step: .confirmed, section: "grace-bans", leadsToSection: true)

    let user: UserID

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID) {
        self.user = user
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let open = try GraceBanRules.open(of: user, context, in: tx)
        return Preview(
            Phrase("grace.release-title", ["user": .user(user)]),
            [
                Phrase("grace.release-what", ["end": .banEnd(Moment(milliseconds: open.gracePeriodDate))]),
                "grace.release-payments",
            ], undo: "grace.release-undo")
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact(once: .replayed) { change, tx in
            try GraceBanRules.release(user, change, in: tx)
            return Empty()
        }
    }
}

extension InputValues {
    /// An amount of money; nil for what is none.
    func amount(_ name: String) -> Double? {
        guard let number = Double((text(name) ?? "0").substituting(",", by: "")), (0...1e12).contains(number) else {
            return nil
        }
        return number
    }

    /// A currency, perhaps in small letters.
    ///
    /// - Throws: ``InputProblems``
    func currency(_ name: String) throws -> String {
        let currency = (text(name) ?? "").uppercased()
        guard GraceBanRules.isCurrency(currency) else { throw InputProblems([name: "problem.currency"]) }
        return currency
    }
}

extension InputField {
    static func currency(_ name: String, _ value: String) -> InputField {
        InputField(name: name, label: "grace.currency", kind: .text, value: value, isRequired: true, limit: 3)
    }
}

extension Phrase.Value {
    /// What releases a member from its grace ban, in words.
    static func condition(_ condition: ReleaseRuleCondition) -> Phrase.Value {
        let amount = Phrase.Value.amount(condition.amount, currency: condition.currency)
        if condition.amount <= 0 { return .phrase(Phrase("grace.needs-count", ["count": .count(condition.count)])) }
        if condition.count <= 0 { return amount }
        return .phrase(
            Phrase(
                condition.conditionType == .or ? "grace.needs-either" : "grace.needs-both",
                ["count": .count(condition.count), "amount": amount]))
    }
}
