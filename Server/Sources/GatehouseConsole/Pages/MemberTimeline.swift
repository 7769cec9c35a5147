import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// A member's ledger as one line of life, newest first, with what can still be undone.
extension Visit {
    private static let actors: [ActorKind] = [.player, .operator, .gameServer, .system]

    func timeline(_ report: MemberReport) async throws -> Table {
        let user = report.member.userId
        let rows = person.preferences.rows
        let actor = query["by"].flatMap { ActorKind(rawValue: $0) }
        let before = query["older"].map { Self.plain($0, limit: 64) }
        let (since, until) = (rangeMoment("since").moment, rangeMoment("until").moment)
        let entries = try await run(
            ReadTimeline(
                of: user, before: before, by: actor, about: timelineKind, since: since, until: until, limit: rows + 1))
        var table = Table(
            words("timeline.title"),
            [words("timeline.when"), words("timeline.what"), words("timeline.who"), words("timeline.why")],
            entries.prefix(rows).map { entry in
                TableRow(
                    [
                        .time(Moment(milliseconds: entry.date), local), what(entry, report), who(entry),
                        Cell(entry.origin.reason ?? "–"),
                    ],
                    actions: undoLinks(of: entry, report))
            }, empty: words("timeline.empty"))
        table.pager = pager(
            next: entries.count > rows ? entries.dropLast().last?.id : nil, field: "older", mark: "#timeline")
        return table
    }

    func timelineFilters(_ user: UserID) -> [Link] {
        let chosen = query["by"].flatMap { ActorKind(rawValue: $0) }
        // The range stays when another actor is chosen.
        func link(_ actor: ActorKind?) -> String {
            var fields = FormValues()
            for name in ["about", "since", "until"] where query.isSet(name) { fields[name] = query[name] }
            if let actor { fields["by"] = actor.rawValue }
            return "\(memberLink(user))?\(fields.encoded)#timeline"
        }
        return [Link(words("frame.all"), link(nil), isCurrent: chosen == nil)]
            + Self.actors.map { actor in
                Link(
                    words.optional("actor.\(actor.rawValue)") ?? actor.rawValue, link(actor),
                    isCurrent: actor == chosen)
            }
    }

    private var timelineKind: TimelineKind? { query["about"].flatMap { TimelineKind(rawValue: $0) } }

    /// The fields that choose which entries are shown.
    var timelineRange: [Field] {
        let kinds = TimelineKind.allCases.map { Field.Option($0.rawValue, words("timeline.about.\($0.rawValue)")) }
        let about = Field(
            "about", words("timeline.about"), .choice([Field.Option("", words("frame.all"))] + kinds),
            value: timelineKind?.rawValue ?? "")
        let by = query["by"].map { [Field("by", "", .hidden, value: $0)] } ?? []
        return by + [about] + rangeFields
    }

    /// The fields of a range of time, with what is wrong with a time.
    var rangeFields: [Field] {
        ["since", "until"].map { name in
            var field = Field(name, words("timeline.\(name)"), .time, value: query[name] ?? "")
            field.problem = rangeMoment(name).problem
            return field
        }
    }

    func rangeMoment(_ name: String) -> (moment: Moment?, problem: String?) {
        guard let text = query[name] else { return (nil, nil) }
        do throws(TimeProblem) {
            return (try local.moment(from: text, second: false), nil)
        } catch {
            return (nil, words("problem.time.\(error.rawValue)"))
        }
    }

    func what(_ entry: LedgerEntry, _ report: MemberReport) -> Cell {
        var values = entry.details
        if let provider = values["idp"] { values["idp"] = providerLabel(provider) }
        for (name, value) in entry.details where name.ends(with: "Date") {
            if let date = Int64(value) { values[name] = local.absolute(Moment(milliseconds: date)) }
        }
        var cell = Cell(words.optional("event.\(entry.event.rawValue)", values) ?? entry.event.rawValue)
        if let other = entry.details["fromUserId"] ?? entry.details["toUserId"] {
            cell.link = memberLink(UserID(other))
        }
        if entry.event.rawValue == "member.frozen", report.member.status == .missing,
            let date = report.restorableUntilDate
        {
            let end = Moment(milliseconds: date)
            cell.note = words(
                moment < end ? "timeline.undo-until" : "timeline.undo-over",
                ["end": local.absolute(end), "left": local.relative(end)])
        }
        return cell
    }

    func who(_ entry: LedgerEntry) -> Cell {
        Cell(
            words.optional("actor.\(entry.origin.actor.rawValue)") ?? entry.origin.actor.rawValue,
            note: [entry.origin.name, words.optional("door.\(entry.origin.door.rawValue)")]
                .compactMap { $0 }.joined(separator: " · "))
    }

    /// One step back from an entry, if it is possible now.
    private func undoLinks(of entry: LedgerEntry, _ report: MemberReport) -> [Link] {
        let member = report.member
        let fields = ["user": member.userId.rawValue]
        let undo = words("deed.undo")
        let link: Link? =
            switch entry.event.rawValue {
            case "member.banned" where report.ban?.id == entry.details["banId"] && member.status == .banned:
                report.ban.map(mayChange) == true ? offer("ban.released", fields, text: undo) : nil
            case "member.frozen" where member.status == .missing && !report.formerProviders.isEmpty:
                offer("member.restored", fields, text: undo)
            case "withdrawal.requested" where member.temporaryWithdrawal != nil:
                offer("withdrawal.cancelled", fields, text: undo)
            case "mapping.moved-here": undoMoveLink(entry, holder: member.userId, former: entry.details["fromUserId"])
            case "mapping.moved-away":
                entry.details["toUserId"].flatMap { holder in
                    undoMoveLink(entry, holder: UserID(holder), former: member.userId.rawValue)
                }
            default: nil
            }
        return [link].compactMap(\.self)
    }

    private func undoMoveLink(_ entry: LedgerEntry, holder: UserID, former: String?) -> Link? {
        guard let former, let provider = entry.details["idp"], may(.operator) else { return nil }
        let fields = FormValues(["idp": provider, "former": former]).encoded
        return Link(words("deed.undo"), "\(memberLink(holder))/undo-move?\(fields)")
    }

    /// Leads to the deed that undoes a move: a restoration if the former member has lost its last identity, and otherwise a move back.
    func undoMove() async throws -> Response {
        let holder = Self.plain(segment("user"), limit: 64)
        guard let former = query["former"].map({ Self.plain($0, limit: 64) }), let provider = query["idp"] else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        let report = try await run(ReadMemberReport(user: UserID(former)))
        if report.member.status == .missing { return Console.redirect(to: deed("member.restored", ["user": former])) }
        return Console.redirect(to: deed("mapping.moved", ["user": holder, "idp": provider, "to": former]))
    }
}
