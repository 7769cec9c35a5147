package import GatehouseServerWire
package import GatehouseWire

/// Registers a grace ban: the member can play until its deadline, and is then banned permanently unless it has met the condition.
package struct RegisterGraceBan: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.operator

    let request: GraceBanRequest

    package init(request: GraceBanRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> GraceBan {
        try await work.transactOnce { change, tx in try GraceBanRules.register(request, change, in: tx) }
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
