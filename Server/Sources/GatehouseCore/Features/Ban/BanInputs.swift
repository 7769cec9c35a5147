import GatehouseSecurity
import GatehouseStorage

/// How long a ban lasts, as an operator chooses it.
enum BanLength: String, CaseIterable {
    case oneHour = "1h"
    case oneDay = "1d"
    case threeDays = "3d"
    case sevenDays = "7d"
    case thirtyDays = "30d"
    case forGood = "for-good"
    case until

    /// The lengths that a role may choose. Support may ban until a moment as far ahead as its longest length.
    static func choices(_ role: OperatorRole) -> [BanLength] {
        allCases.filter { role >= .operator || $0 != .forGood }
    }

    private var seconds: Int64? {
        switch self {
        case .oneHour: 3_600
        case .oneDay: 86_400
        case .threeDays: 3 * 86_400
        case .sevenDays: 7 * 86_400
        case .thirtyDays: 30 * 86_400
        case .forGood, .until: nil
        }
    }

    /// The end of the ban; nil for one without.
    ///
    /// - Throws: ``InputProblems``, also for a ban that is longer than the role permits.
    static func end(_ values: InputValues, _ view: OperatorView) throws -> Moment? {
        let end = try chosen(values, view)
        guard view.role < .operator else { return end }
        guard let end, end <= view.moment.adding(seconds: BanRules.supportDays * 86_400) else {
            throw InputProblems(["length": Phrase("problem.ban-limit", ["days": .count(Int(BanRules.supportDays))])])
        }
        return end
    }

    private static func chosen(_ values: InputValues, _ view: OperatorView) throws -> Moment? {
        guard let length = values.text("length").flatMap({ BanLength(rawValue: $0) }) else {
            throw InputProblems(["length": "problem.choice"])
        }
        if let seconds = length.seconds { return view.moment.adding(seconds: seconds) }
        guard length == .until else { return nil }
        let end = try values.moment("until")
        guard view.moment < end else { throw InputProblems(["until": "problem.past"]) }
        return end
    }
}

extension Input {
    /// The end of a ban: how long it lasts, or until when; nil for one without end.
    static func banEnd(_ path: any WritableKeyPath<A, Moment?> & Sendable) -> Self {
        Input { _, view, _ in
            [
                InputField(
                    name: "length", label: "bans.length",
                    kind: .choice(
                        BanLength.choices(view.role).map {
                            .init(value: $0.rawValue, label: Phrase("bans.length.\($0.rawValue)"))
                        }), value: BanLength.threeDays.rawValue),
                InputField(
                    name: "until", label: "bans.until", kind: .time,
                    help: Phrase("time.zone-help", ["zone": .zone(view.moment)])),
            ]
        } read: { action, values, view in
            action[keyPath: path] = try BanLength.end(values, view)
        }
    }

    /// The template of what the player reads; nil for none.
    static func banTemplate(_ path: any WritableKeyPath<A, Int?> & Sendable) -> Self {
        Input { _, view, tx in
            let templates = try BanQueries.templates(of: view.app, in: tx).filter { !$0.isArchived }
            return [
                InputField(
                    name: "template", label: "bans.template",
                    kind: .choice(
                        [.init(value: "", label: "bans.no-template")]
                            + templates.map { .init(value: String($0.code), label: .verbatim($0.name)) }))
            ]
        } read: { action, values, _ in
            action[keyPath: path] = values.text("template").flatMap { Int($0) }
        }
    }
}

extension Phrase.Value {
    /// The end of a ban in words.
    static func banEnd(_ moment: Moment?) -> Phrase.Value {
        guard let moment else { return .phrase("bans.permanently") }
        return .phrase(Phrase("bans.until-moment", ["end": .moment(moment), "length": .distance(moment)]))
    }
}
