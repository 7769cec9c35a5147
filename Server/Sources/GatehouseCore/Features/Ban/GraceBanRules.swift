import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// Grace bans: members can play until a deadline, and are then banned permanently unless they have paid (BAN-4).
enum GraceBanRules {
    static func register(
        _ request: GraceBanRequest, _ change: Change, in tx: Transaction
    ) throws -> GraceBan {
        var graceBan = request.graceBan
        try check(graceBan, at: change.moment)
        try change.origin.requireName()
        try requireReasonOfOperator(change)
        let account = try MemberRules.take(request.userId, app: change.app.id, at: change.moment, in: tx)
        guard !account.isGone else { throw Refusal(.authNotExistMember) }
        guard account.holds.ban == nil else { throw Refusal(.bannedMember, "The member is banned already.") }
        guard account.holds.graceBan == nil else {
            throw Refusal.parameter("userId", "The member has a grace ban already: release it first.")
        }
        // Earlier payments do not count.
        let currency = graceBan.releaseRuleCondition.currency
        graceBan.paymentStatus = PaymentStatus(amount: 0, count: 0, currency: currency)
        let id = TimeOrderedID.session(at: change.moment, random: change.random).rawValue
        try GraceBanQueries.insert(id, user: account.user, graceBan, change, in: tx)
        let end = Moment(milliseconds: graceBan.gracePeriodDate)
        try MemberRules.update(account, in: tx) { $0.graceBan = .init(id: id, endsAt: end) }
        try change.record(.graceBanned(id: id, end: end), of: account.user, in: tx)
        return graceBan
    }

    private static func check(_ graceBan: GraceBan, at moment: Moment) throws {
        guard moment.milliseconds < graceBan.gracePeriodDate else {
            throw Refusal.parameter("gracePeriodDate", "The deadline lies ahead.")
        }
        guard (1...2_000).contains(graceBan.message.utf8.count) else {
            throw Refusal.parameter("message", "A message has 1 to 2000 bytes.")
        }
        let condition = graceBan.releaseRuleCondition
        guard [.and, .or].contains(condition.conditionType) else {
            throw Refusal.parameter("conditionType", "A condition's type is AND or OR.")
        }
        guard (0...1_000_000).contains(condition.count) else {
            throw Refusal.parameter("count", "A number of payments is 0 to 1000000.")
        }
        _ = try GraceBanProgress.units(condition.amount)
        guard condition.count > 0 || condition.amount > 0 else {
            throw Refusal.parameter("releaseRuleCondition", "A condition asks for an amount or a number of payments.")
        }
        try checkCurrency(condition.currency)
    }

    private static func checkCurrency(_ currency: String) throws {
        guard isCurrency(currency) else {
            throw Refusal.parameter("currency", "A currency is named by ISO 4217, such as KRW.")
        }
    }

    static func isCurrency(_ text: String) -> Bool { text.utf8.count == 3 && text.utf8.allSatisfy(ASCII.isUppercase) }

    // MARK: What operators see before a change

    /// Why a member can't get a grace ban; nil if it can.
    static func obstacle(to user: UserID, _ view: OperatorView, in tx: Reader) throws -> Phrase? {
        switch try FindBan(user: user).read(view.view, in: tx) {
        case .unknown: "problem.no-member"
        case .gone: "problem.gone"
        case .banned: "problem.banned-already"
        case .free:
            try HoldRules.graceBan(of: view.account(of: user, in: tx), in: tx) == nil ? nil : "problem.grace-already"
        }
    }

    /// The member's grace ban.
    ///
    /// - Throws: ``ImpossibleAction`` if it has none.
    static func open(of user: UserID, _ view: OperatorView, in tx: Reader) throws -> GraceBan {
        guard let open = try HoldRules.graceBan(of: view.account(of: user, in: tx), in: tx) else {
            throw ImpossibleAction(phrase: "problem.no-grace", parameter: "user")
        }
        return open
    }

    // MARK: Changes

    /// Counts a payment towards the member's grace ban, once for each payment id. Meeting the condition releases the grace ban.
    static func pay(_ report: PaymentReport, _ change: Change, in tx: Transaction) throws -> PaymentOutcome {
        guard (1...128).contains(report.paymentId.utf8.count) else {
            throw Refusal.parameter("paymentId", "The payment's id must have 1 to 128 bytes.")
        }
        try checkCurrency(report.currency)
        let amount = try GraceBanProgress.units(report.amount)
        let account = try MemberRules.take(report.userId, app: change.app.id, at: change.moment, in: tx)
        guard account.status != .withdrawn else { throw Refusal(.authNotExistMember) }
        let isNew = try GraceBanQueries.insertPayment(
            report.paymentId, user: report.userId, amount: amount, currency: report.currency, change, in: tx)
        if isNew { try change.record(.paymentReported, of: report.userId, in: tx) }
        guard let id = account.holds.graceBan?.id,
            let record = try HoldQueries.graceBan(id, app: account.app, in: tx)
        else {
            return PaymentOutcome(isNew: isNew, releasesGraceBan: false, graceBan: nil)
        }
        guard isNew, report.currency == record.currency else {
            return PaymentOutcome(isNew: isNew, releasesGraceBan: false, graceBan: record.graceBan)
        }
        var paid = record
        paid.paidAmount = min(record.paidAmount + amount, .max / 2)
        paid.paidCount = record.paidCount + 1
        try GraceBanQueries.setPaid(id, app: account.app, amount: paid.paidAmount, count: paid.paidCount, in: tx)
        guard paid.isMet else {
            return PaymentOutcome(isNew: true, releasesGraceBan: false, graceBan: paid.graceBan)
        }
        try end(account, id: id, outcome: "released", change, in: tx)
        return PaymentOutcome(isNew: true, releasesGraceBan: true, graceBan: nil)
    }

    /// An operator must give a reason. Game servers' calls have none, as in Gamebase.
    private static func requireReasonOfOperator(_ change: Change) throws {
        if change.origin.actor == .operator { try change.origin.requireReason() }
    }

    static func release(_ user: UserID, _ change: Change, in tx: Transaction) throws {
        try requireReasonOfOperator(change)
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        guard let id = account.holds.graceBan?.id else {
            throw Refusal.parameter("userId", "The member has no grace ban.")
        }
        try end(account, id: id, outcome: "released", change, in: tx)
    }

    private static func end(
        _ account: Account, id: String, outcome: String, _ change: Change, in tx: Draft
    ) throws {
        try GraceBanQueries.end(id, app: account.app, outcome: outcome, at: change.moment, in: tx)
        try MemberRules.update(account, in: tx) { $0.graceBan = nil }
        try change.record(.graceBanReleased(id: id), of: account.user, in: tx)
    }

    /// The deadline has passed without the condition being met, so the member is banned permanently.
    static func lapse(_ account: Account, _ change: Change, in tx: Draft) throws {
        guard let hold = account.holds.graceBan, let graceBan = try HoldRules.graceBan(of: account, in: tx) else {
            return
        }
        let input = try BanRules.Input(
            type: .permanent, endsAt: nil, templateCode: nil,
            message: LocalizedText([change.app.defaultLanguage: graceBan.message]), at: change.moment)
        var change = change
        change.origin.reason = "grace ban \(hold.id): the deadline has passed"
        try BanRules.begin(account, input, change, in: tx)
    }
}
