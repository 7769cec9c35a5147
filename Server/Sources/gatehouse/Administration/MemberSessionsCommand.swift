import ArgumentParser
import GatehouseCore
import GatehouseServerWire
import GatehouseWire

/// `gatehouse member sessions`.
struct MemberSessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "See on which devices a member is logged in, and log it out on one.",
        subcommands: [List.self, End.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the sessions of a member that go on, newest first.",
            discussion: "A list has up to a hundred sessions; its last line says how it goes on.")

        @OptionGroup var member: MemberArguments
        @Option(help: "The session after which to begin: the last one that was looked at.") var after: String?

        func run() async throws {
            let request = MemberSessionsRequest(userId: member.id, after: after.map { SessionID($0) })
            let page = try await member.run(ListMemberSessions(request: request))
            try member.output.list(
                ["sessionId", "began", "lastUsed", "provider", "device"],
                page.sessions.map(MemberSessionsCommand.row))
            if let next = page.next { member.output.done("more with --after \(next)") }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End one session of a member, or all of them.",
            discussion: "`gatehouse member kick-out` ends all of them, too, with a message of your own to the player.")

        @OptionGroup var member: MemberArguments
        @Argument(help: "The session's id.") var session: String?
        @Flag(help: "All sessions of the member.") var all = false
        @Option(help: "Why, for the ledger.") var reason: String

        func run() async throws {
            guard all == (session == nil) else { throw ValidationError("Give either a session's id or --all.") }
            if let session {
                try await member.run(EndMemberSession(session: SessionID(session), of: member.id), reason: reason)
            } else {
                try await member.run(KickOut(user: member.id, message: [:]), reason: reason)
            }
            member.output.done(session.map { "\($0) has ended" } ?? "all sessions of \(member.user) have ended")
        }
    }

    private static func row(_ session: DeviceSession) -> [Shown] {
        let device = [session.platformName, session.osVersion, session.deviceModel, session.clientVersion]
        return [
            .text(session.sessionId.rawValue), .time(session.beginDate), .time(session.lastUsedDate),
            .text(session.provider.rawValue), .text(device.compactMap(\.self).joined(separator: " ")),
        ]
    }
}
