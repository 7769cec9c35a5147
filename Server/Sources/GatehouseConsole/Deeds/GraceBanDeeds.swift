import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

extension Console {
    static let graceBanDeeds = [beginGraceBan, recordPayment]

    private static let beginGraceBan = DeedKind(
        name: "grace-ban.begun", level: .confirmed, role: .operator, section: "grace-bans", undo: "grace-ban.released",
        target: { values in .member(UserID(String((values["user"] ?? "").uppercased().prefix(64)))) },
        fields: { visit, values in
            let conditions = ["AND", "OR"].map { Field.Option($0, visit.words("grace.rule.\($0)")) }
            return [
                Field(
                    "user", visit.words("members.id"), value: values["user"] ?? "", isRequired: true,
                    limit: 64),
                Field("days", visit.words("grace.days"), .number, value: "7", isRequired: true, limit: 4),
                Field("count", visit.words("grace.payments"), .number, value: "1", limit: 7),
                Field("amount", visit.words("grace.amount"), .text, help: visit.words("grace.amount-help"), limit: 16),
                Field("currency", visit.words("grace.currency"), value: "KRW", isRequired: true, limit: 3),
                Field("condition", visit.words("grace.rule"), .choice(conditions)),
                Field(
                    "message", visit.words("grace.reads"), .lines, help: visit.words("grace.reads-help"),
                    isRequired: true, limit: 500),
            ]
        },
        preview: { visit, values in
            let user = UserID(String((values["user"] ?? "").uppercased().prefix(64)))
            let wrong = try await visit.problem(ofGraceBanFor: user).map { ["user": $0] } ?? [:]
            let graceBan: GraceBan
            do {
                graceBan = try Console.graceBan(visit, values)
            } catch let failure as FormProblems {
                // All that is wrong is said at once.
                throw FormProblems(failure.problems.merging(wrong) { $1 })
            }
            guard wrong.isEmpty else { throw FormProblems(wrong) }
            let end = Moment(milliseconds: graceBan.gracePeriodDate)
            var preview = DeedPreview(
                visit.words("grace.begin-title", ["user": user.rawValue]),
                [
                    visit.words("grace.begin-what", ["end": visit.end(end)]),
                    visit.words("grace.begin-then", ["condition": visit.condition(of: graceBan)]),
                ], undo: visit.words("grace.begin-undo"), button: visit.words("deed.grace-ban.begun"),
                cancel: visit.address("grace-bans"), isDangerous: true)
            preview.playerReads = [(visit.words("frame.all"), graceBan.message)]
            return preview
        },
        perform: { visit, values, call in
            let user = UserID(String((values["user"] ?? "").uppercased().prefix(64)))
            try await call.run(
                RegisterGraceBan(
                    request: GraceBanRequest(
                        userId: user, graceBan: try graceBan(visit, values), registeredBy: visit.person.name)))
            return DeedResult(visit.address("grace-bans"))
        })

    private static let recordPayment = DeedKind(
        name: "grace-ban.payment-recorded", level: .confirmed, role: .operator, section: "grace-bans",
        target: member,
        fields: { visit, values in
            let open = try await visit.openGraceBan(of: try user(values))
            return [
                Field(
                    "payment", visit.words("grace.payment-id"), help: visit.words("grace.payment-help"),
                    isRequired: true, limit: 128),
                Field("amount", visit.words("grace.paid"), isRequired: true, limit: 16),
                Field(
                    "currency", visit.words("grace.currency"), value: open.releaseRuleCondition.currency,
                    isRequired: true, limit: 3),
            ]
        },
        preview: { visit, values in
            let report = try payment(visit, values)
            let open = try await visit.openGraceBan(of: report.userId)
            let sum = "\(Visit.amount(report.amount)) \(report.currency)"
            var consequences = [
                visit.words("grace.pay-what", ["amount": sum, "user": report.userId.rawValue]),
                visit.words("grace.pay-then", ["condition": visit.condition(of: open)]),
            ]
            if report.currency != open.releaseRuleCondition.currency {
                consequences.append(
                    visit.words("grace.pay-currency", ["currency": open.releaseRuleCondition.currency]))
            }
            return DeedPreview(
                visit.words("grace.pay-title", ["amount": sum]), consequences, undo: visit.words("grace.pay-undo"),
                button: visit.words("deed.grace-ban.payment-recorded"), cancel: visit.address("grace-bans"))
        },
        perform: { visit, values, call in
            try await call.run(ReportPayment(report: try payment(visit, values)))
            return DeedResult(visit.address("grace-bans"))
        })

    private static func graceBan(_ visit: Visit, _ values: FormValues) throws -> GraceBan {
        var problems: [String: String] = [:]
        let days = values["days"].flatMap { Int64($0) } ?? 0
        if !(1...365).contains(days) { problems["days"] = visit.words("problem.days") }
        let count = values["count"].map { Int($0) ?? -1 } ?? 0
        if !(0...1_000_000).contains(count) { problems["count"] = visit.words("problem.number") }
        let amount = number(values["amount"] ?? "0")
        if amount == nil { problems["amount"] = visit.words("problem.number") }
        if count == 0, amount == 0 { problems["count"] = visit.words("problem.grace-condition") }
        let currency = (values["currency"] ?? "").uppercased()
        if !isCurrency(currency) { problems["currency"] = visit.words("problem.currency") }
        let message = values["message"] ?? ""
        if !(1...2_000).contains(message.utf8.count) { problems["message"] = visit.words("problem.message") }
        guard problems.isEmpty, (1...365).contains(days), let amount else { throw FormProblems(problems) }
        return GraceBan(
            gracePeriodDate: visit.moment.adding(seconds: days * 86_400).milliseconds, message: message,
            paymentStatus: PaymentStatus(amount: 0, count: 0, currency: currency),
            releaseRuleCondition: ReleaseRuleCondition(
                amount: amount, count: count, currency: currency,
                conditionType: values["condition"] == "OR" ? .or : .and))
    }

    private static func payment(_ visit: Visit, _ values: FormValues) throws -> PaymentReport {
        var problems: [String: String] = [:]
        let id = values["payment"] ?? ""
        if !(1...128).contains(id.utf8.count) { problems["payment"] = visit.words("problem.payment") }
        let amount = number(values["amount"] ?? "")
        if amount == nil { problems["amount"] = visit.words("problem.number") }
        let currency = (values["currency"] ?? "").uppercased()
        if !isCurrency(currency) { problems["currency"] = visit.words("problem.currency") }
        guard problems.isEmpty, let amount else { throw FormProblems(problems) }
        return PaymentReport(userId: try user(values), paymentId: id, amount: amount, currency: currency)
    }

    private static func isCurrency(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5a).contains($0) }
    }

    /// An amount of money; nil for what is none.
    private static func number(_ text: String) -> Double? {
        guard let number = Double(text.substituting(",", by: "")), number.isFinite, (0...1e12).contains(number) else {
            return nil
        }
        return number
    }
}

extension Visit {
    /// Why a member can't get a grace ban, in words; nil if it can.
    fileprivate func problem(ofGraceBanFor user: UserID) async throws -> String? {
        switch try await run(FindBan(user: user)) {
        case .unknown: return words("problem.no-member")
        case .gone: return words("problem.gone")
        case .banned: return words("problem.banned-already")
        case .free: break
        }
        let isOpen = try await run(ReadMemberReport(user: user)).member.graceBan != nil
        return isOpen ? words("problem.grace-already") : nil
    }

    fileprivate func openGraceBan(of user: UserID) async throws -> GraceBan {
        guard let open = try await run(ReadMemberReport(user: user)).member.graceBan else {
            throw Refusal.parameter("user", words("problem.no-grace"))
        }
        return open
    }

    /// What has to be paid, in words.
    fileprivate func condition(of graceBan: GraceBan) -> String {
        let condition = graceBan.releaseRuleCondition
        let amount = "\(Self.amount(condition.amount)) \(condition.currency)"
        if condition.amount <= 0 { return words("grace.needs-count", ["count": String(condition.count)]) }
        if condition.count <= 0 { return amount }
        return words(
            condition.conditionType == .or ? "grace.needs-either" : "grace.needs-both",
            ["count": String(condition.count), "amount": amount])
    }
}
