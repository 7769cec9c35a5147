import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Everything that happened to a member as one list, newest first, with what can still be undone.
extension PageRequest {
    private static let actors: [ActorKind] = [.player, .operator, .gameServer, .system]

    private var streamKind: TimelineKind? { query["about"].flatMap { TimelineKind(rawValue: $0) } }

    /// The entries of the page that the address names, and the links to the pages before and after.
    func stream(_ report: MemberReport) async throws -> HTML {
        let user = report.member.userId
        let entries = try await run(
            ReadMemberStream(
                of: user, before: query["older"].map { Self.plain($0, limit: 64) },
                by: query["by"].flatMap { ActorKind(rawValue: $0) }, about: streamKind,
                since: rangeMoment("since").moment, until: rangeMoment("until").moment, limit: rows + 1))
        let shown = entries.prefix(rows)
        return HTML([
            shown.isEmpty
                ? empty("timeline.empty")
                : ol(.class("stream")) {
                    for entry in shown { li(.class(entry.kind.map { "k-\($0.rawValue)" })) { line(entry, report) } }
                },
            pager(next: entries.count > rows ? shown.last?.id : nil, field: "older", mark: "#timeline").html,
        ])
    }

    @HTMLBuilder private func line(_ entry: StreamEntry, _ report: MemberReport) -> HTML {
        if let kind = entry.kind {
            span(.class("kind")) { words("timeline.kind.\(kind.rawValue)") }
            " "
        }
        switch entry {
        case .event(let event):
            what(event, report)
            p {
                ago(entry.date)
                " · \(words.optional("actor.\(event.origin.actor.rawValue)") ?? event.origin.actor.rawValue)"
                if let name = event.origin.name {
                    " "
                    bdi { name }
                }
                if let door = words.optional("door.\(event.origin.door.rawValue)") { " · \(door)" }
                if let reason = event.origin.reason {
                    " · "
                    written(reason)
                }
                for link in undoLinks(of: event, report) {
                    " · "
                    link
                }
            }
        case .refusal(let call):
            Cell(named(call.code), link: refusalLink(call))
            p {
                ago(entry.date)
                " · "
                self.call(of: call)
                if call.reason != nil {
                    " · "
                    reason(of: call)
                }
                if let provider = call.provider { " · \(providerLabel(provider.rawValue))" }
            }
        case .note(let note): self.note(note, of: report.member.userId)
        }
    }

    // MARK: Filters

    /// A link for each kind of entries, and below them a form for who has acted and when.
    @HTMLBuilder func streamFilters(_ user: UserID) -> HTML {
        nav(.ariaLabel(words("timeline.about"))) {
            ul(.class("chips")) {
                li { kindLink(nil, user) }
                for kind in TimelineKind.allCases {
                    li(.id(kind == .refusals ? "refusals" : nil)) { kindLink(kind, user) }
                }
            }
        }
        details(.open(if: ["by", "since", "until"].contains { query.isSet($0) })) {
            summary { words("timeline.more") }
            filters(streamFields, to: "\(request.uri.path)#timeline")
        }
    }

    /// Who has acted and when stay chosen when another kind is.
    private func kindLink(_ kind: TimelineKind?, _ user: UserID) -> Link {
        var fields = FormValues()
        for name in ["by", "since", "until"] where query.isSet(name) { fields[name] = query[name] }
        if let kind { fields["about"] = kind.rawValue }
        let text = fields.encoded
        return Link(
            kind.map { words("timeline.about.\($0.rawValue)") } ?? words("frame.all"),
            memberLink(user) + (text.isEmpty ? "" : "?\(text)") + "#timeline", isCurrent: streamKind == kind)
    }

    private var streamFields: [Field] {
        let actors = Self.actors.map { actor in
            Field.Option(actor.rawValue, words.optional("actor.\(actor.rawValue)") ?? actor.rawValue)
        }
        let by = Field(
            "by", words("timeline.who"), .choice([Field.Option("", words("frame.all"))] + actors),
            value: query["by"] ?? "")
        let about = streamKind.map { [Field("about", "", .hidden, value: $0.rawValue)] } ?? []
        return about + [by] + rangeFields
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
        if let kind = values["event"] { values["event"] = words.optional("signal.kind.\(kind)") ?? kind }
        for (name, value) in entry.details where name.ends(with: "Date") {
            if let date = Int64(value) { values[name] = local.absolute(Moment(milliseconds: date)) }
        }
        // What is issued may be an account or a key.
        let key = "event.\(entry.event.rawValue)"
        let ofForm = values["form"].flatMap { words.optional("\(key).\($0)", values) }
        var cell = Cell(ofForm ?? words.optional(key, values) ?? entry.event.rawValue)
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
            case BanMember.about.name where report.ban?.id == entry.details["banId"] && member.status == .banned:
                report.ban.map(mayChange) == true ? offer(ReleaseBan.self, fields, text: undo) : nil
            case "member.frozen" where member.status == .missing && !report.formerProviders.isEmpty:
                offer(RestoreMember.self, fields, text: undo)
            case "withdrawal.requested" where member.temporaryWithdrawal != nil:
                offer(CancelMemberWithdrawal.self, fields, text: undo)
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

    /// Leads to the action that undoes a move: a restoration if the former member has lost its last identity, and otherwise a move back.
    func undoMove() async throws -> Response {
        let holder = Self.plain(segment("user"), limit: 64)
        guard let former = query["former"].map({ Self.plain($0, limit: 64) }), let provider = query["idp"] else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        let report = try await run(.memberReport(of: UserID(former)))
        if report.member.status == .missing {
            return Console.redirect(to: actionAddress(RestoreMember.self, ["user": former]))
        }
        return Console.redirect(
            to: actionAddress(MoveMemberMapping.self, ["user": holder, "idp": provider, "to": former]))
    }
}
