import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Hummingbird

/// Replies that support copies into answers to players.
extension PageRequest {
    func replyList() async throws -> Response {
        let replies = try await run(.replies)
        var page = Page(words("nav.replies"), section: "replies")
        page.result = try await resultLine()
        page.actions = links([(AddReply.self, [:])], style: "primary")
        let table = Table(
            words("nav.replies"), columns(["replies.title", "templates.reads", "templates.languages"]),
            replies.map { reply in
                let id = ["reply": String(reply.id)]
                return TableRow(
                    [
                        Cell(reply.title), Cell(text(of: reply, in: [words.language])),
                        Cell(reply.texts.texts.keys.sorted().map(languageName).joined(separator: ", ")),
                    ], actions: rowLinks([(ChangeReply.self, id), (RemoveReply.self, id)]))
            }, empty: words("replies.empty"))
        return showList(page, table, intro: words("replies.intro"))
    }

    private func text(of reply: Reply, in languages: [String]) -> String {
        reply.texts.text(preferring: languages, fallback: place?.app.defaultLanguage ?? "en") ?? ""
    }

    /// The replies in the language of the member's last device, with the member's id and the end of the ban filled in, to be copied.
    func replies(to report: MemberReport, _ devices: [MemberDevice]) async throws -> HTML {
        let replies = try await run(.replies)
        guard !replies.isEmpty else { return HTML() }
        let client = devices.lazy.compactMap(\.client).first { $0.language != nil }
        let language = client?.language ?? place?.app.defaultLanguage ?? "en"
        // A device says `zh` in Taiwan, too.
        let country = client?.deviceCountryCode.map { "\(language)-\($0)" }
        let values = ["user": report.member.userId.rawValue, "end": banEnd(of: report, in: language)]
        return details(.class("card"), .id("replies")) {
            summary { words("nav.replies") }
            for reply in replies {
                h3 { bdi { reply.title } }
                pre(.tabindex(0)) {
                    code(Attribute("data-copy", words("provider.copy"))) {
                        Words.filled(text(of: reply, in: [country, language].compactMap(\.self)), values)
                    }
                }
            }
        }
    }

    /// The end of the member's ban in the app's zone, which is that of its players, in the words of their language.
    private func banEnd(of report: MemberReport, in language: String) -> String {
        let words = Words.of([language])
        guard let ban = report.ban, report.member.status == .banned else { return "–" }
        guard let end = ban.endsAt else { return words("bans.for-good") }
        return LocalTime(zone: place?.app.policy.timeZone, now: moment, words: words).absolute(end)
    }
}
