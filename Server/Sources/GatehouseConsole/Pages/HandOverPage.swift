import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// What the next shift has to know: what was done and written in a time, and what ends today.
extension PageRequest {
    func handOver() async throws -> Response {
        let range = handOverRange
        let outcome = try await run(ReadHandOver(since: range.since, until: range.until, limit: recordRows))
        let standing = try await run(.standing)
        let hours = try await lastHours()
        let latest = hours.buckets(hours.range.count - ChartRange.day.count..<hours.range.count)
        let verdicts = AppVerdicts(try app(), standing, latest, at: moment).all
        let due = try await due()
        return show(Page(words("nav.hand-over"), section: "hand-over")) {
            quickRanges(current: quickRange ?? (listRange.since == nil ? .eightHours : nil))
            filters(rangeFields, to: request.uri.path)
            p {
                words(
                    may(.operator) ? "handover.since" : "handover.since-support", ["begin": local.absolute(range.since)]
                )
            }
            if !outcome.mentions.isEmpty {
                card("handover.mentions", id: "mentions") { for note in outcome.mentions { self.note(note) } }
            }
            list(verdicts)
            card("handover.due", id: "due") {
                list(due)
            }
            card("handover.done", id: "done") {
                table(of: outcome.changes)
                if outcome.hasMoreChanges {
                    p(.class("small")) {
                        "\(words("handover.more")) "
                        Link(words("nav.audit"), address("audit"))
                    }
                }
            }
            card("handover.notes", id: "notes") {
                if outcome.notes.isEmpty { empty("handover.none-noted") }
                for note in outcome.notes { self.note(note) }
                if outcome.hasMoreNotes { p(.class("small")) { words("handover.more") } }
            }
        }
    }

    /// The range that the address names, or else the last eight hours.
    private var handOverRange: (since: Moment, until: Moment?) {
        let range = listRange
        return (range.since ?? QuickRange.eightHours.moments(local).since, range.until)
    }

    private struct Due {
        let user: UserID
        let key: String
        let end: Moment
    }

    /// What ends today: grace bans, and the time in which a deletion can be cancelled.
    private func due() async throws -> [Due] {
        let end = local.endOfDay
        let graceBans = try await run(.graceBans(limit: 500)).map {
            Due(user: $0.user, key: "grace-ban", end: Moment(milliseconds: $0.graceBan.gracePeriodDate))
        }
        let withdrawals = try await run(.pendingWithdrawals(limit: rows)).map {
            Due(user: $0.user, key: "withdrawal", end: $0.withdrawsAt)
        }
        let all = (graceBans + withdrawals).filter { $0.end < end }.sorted { $0.end < $1.end }
        return Array(all.prefix(rows))
    }

    @HTMLBuilder private func list(_ due: [Due]) -> HTML {
        if due.isEmpty {
            empty("handover.none-due")
        } else {
            ul(.class("lines")) {
                for line in due {
                    li {
                        member(line.user)
                        " \(words("handover.\(line.key)")) "
                        ago(line.end)
                    }
                }
            }
        }
    }

    private func table(of records: [OperatorRecord]) -> Table {
        Table(
            words("handover.done"),
            columns(["timeline.when", "audit.operator", "audit.action", "audit.target", "deed.reason"]),
            records.map { record in
                TableRow([
                    .time(record.date, local), Cell(record.personName, note: capacity(of: record)),
                    Cell(words.optional("deed.\(record.action)") ?? record.action), target(of: record),
                    reason(of: record),
                ])
            }, empty: words("handover.none-done")
        ).wrapping
    }

    private func reason(of record: OperatorRecord) -> Cell {
        let reason = record.givenReason
        return .content(reason) {
            written(reason)
            if let ticket = record.ticket {
                " "
                small { bdi { ticketLink(ticket) } }
            }
        }
    }

    /// How much of a note is shown. The page of its member has the rest.
    private static let shownLetters = 400

    private func note(_ entry: ReadHandOver.Note) -> HTML {
        let text = entry.note.text.unicodeScalars
        return article(.class("note")) {
            lines(of: String(text.prefix(Self.shownLetters)) + (text.count > Self.shownLetters ? "…" : ""))
            p(.class("small")) {
                member(entry.user)
                " · "
                ago(entry.note.date)
                " · "
                bdi { entry.note.author }
            }
        }
    }
}
