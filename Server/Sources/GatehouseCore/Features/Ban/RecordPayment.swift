import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
import GatehouseWire

/// Counts a payment towards a member's grace ban, for an operator.
package struct RecordPayment: OperatorAction {
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

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        currency = try GraceBanRules.open(of: user, view, in: tx).releaseRuleCondition.currency
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let condition = try GraceBanRules.open(of: user, view, in: tx).releaseRuleCondition
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
        return try await ReportPayment(report: report).perform(work)
    }
}

/// Counts a payment towards a member's grace ban.
package struct ReportPayment: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.operator

    let report: PaymentReport

    package init(report: PaymentReport) {
        self.report = report
    }

    package func perform(_ work: Work) async throws -> PaymentOutcome {
        try await work.transactOnce { change, tx in try GraceBanRules.pay(report, change, in: tx) }
    }
}
