import GatehouseCore
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Hummingbird

extension Visit {
    /// What stands on a member's page as plain text, to be copied into a ticket. It has no subjects, no keys of devices and no notes.
    func memberText() async throws -> Response {
        let user = UserID(Self.plain(segment("user"), limit: 64))
        let report = try await run(ReadMemberReport(user: user))
        let member = report.member
        let outcome = try await run(ExplainLogin(user: user))
        var lines = [
            "\(words("members.id")): \(user)", "\(words("members.state")): \(memberState(member.status).text)",
            memberSentence(report, outcome),
            "\(words("members.made")): \(local.absolute(Moment(milliseconds: member.registrationDate)))",
            "\(words("members.last-login")): \(local.absolute(Moment(milliseconds: member.lastLoginDate)))",
        ]
        lines += ["", "\(words("check.title")) \(verdict(outcome))"]
        lines += outcome.lines.map { line in
            let code = line.code.map { ": \(named($0))" } ?? ""
            return "- \(text(line.sentence)): \(words(line.code == nil ? "check.fine" : "check.stops"))\(code)"
        }
        lines += ["", words("identity.title")]
        lines += member.mappings.map { mapping in
            "- \(providerLabel(mapping.provider.rawValue)) · \(local.absolute(Moment(milliseconds: mapping.registrationDate)))"
        }
        if ![.withdrawn, .missing].contains(member.status) {
            let list = try await run(ListMemberSessions(request: MemberSessionsRequest(userId: user, after: nil)))
            lines += ["", words("session.title")]
            lines += list.sessions.map { session in
                let used = local.absolute(Moment(milliseconds: session.lastUsedDate))
                return
                    "- \(words.device(session)) · \(providerLabel(session.provider.rawValue)) · \(session.clientVersion ?? "–") · \(used)"
            }
        }
        lines += ["", words("nav.bans")]
        lines += try await run(ListBansOfMember(user: user)).map { ban in
            let end = ban.endsAt.map { local.absolute($0) } ?? words("bans.for-good")
            return "- \(local.absolute(ban.beginsAt)) – \(end) · \(ban.reason)"
        }
        lines += ["", words("timeline.title")]
        lines += try await run(ReadMemberStream(of: user, limit: 50)).compactMap { entry in
            let time = local.absolute(entry.date)
            switch entry {
            case .event(let event):
                let reason = event.origin.reason.map { " · \($0)" } ?? ""
                return "- \(time) · \(what(event, report).text) · \(who(event).text)\(reason)"
            case .refusal(let refusal):
                return "- \(time) · \(named(refusal.code)) · \(call(of: refusal).text)"
            case .note: return nil
            }
        }
        return plainText(lines)
    }

    private func plainText(_ lines: [String]) -> Response {
        let text = lines.map { VisibleText.escaping($0) }.joined(separator: "\n") + "\n"
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
