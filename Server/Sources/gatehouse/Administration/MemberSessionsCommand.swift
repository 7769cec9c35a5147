import ArgumentParser
import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseWire

/// `gatehouse member sessions`.
struct MemberSessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "See on which devices a member is logged in, and log it out on one.",
        subcommands: [List.self, End.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the sessions of a member that go on, newest first: id, begin, last use, provider, device.",
            discussion: "A list has up to a hundred sessions; its last line says how it goes on.")

        @OptionGroup var app: AppArguments
        @Argument(help: "The user id.") var user: String
        @Option(help: "The session after which to begin: the last one that was looked at.") var after: String?

        func run() async throws {
            let page = try await Administration.open(app) {
                try await $0.sessions(of: UserID(user), after: after.map { SessionID($0) }, of: $1)
            }
            for session in page.sessions { Terminal.say(MemberSessionsCommand.line(session)) }
            if let next = page.next { Terminal.say("more with --after \(next)") }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End one session of a member, or all of them.",
            discussion: "`gatehouse member kick-out` ends all of them, too, with a message of your own to the player.")

        @OptionGroup var app: AppArguments
        @Argument(help: "The user id.") var user: String
        @Argument(help: "The session's id.") var session: String?
        @Flag(help: "All sessions of the member.") var all = false
        @Option(help: "Why, for the ledger.") var reason: String

        func run() async throws {
            guard all == (session == nil) else { throw ValidationError("Give either a session's id or --all.") }
            try await Administration.open(app) {
                if let session {
                    try await $0.endSession(SessionID(session), of: UserID(user), reason: reason, of: $1)
                } else {
                    try await $0.endSessions(of: UserID(user), reason: reason, of: $1)
                }
            }
            Terminal.say(session.map { "\($0) has ended" } ?? "all sessions of \(user) have ended")
        }
    }

    private static func line(_ session: DeviceSession) -> Terminal.Text {
        let device = [session.platformName, session.osVersion, session.deviceModel, session.clientVersion]
        return .init(columns: [
            session.sessionId.rawValue, Words.time(session.beginDate), Words.time(session.lastUsedDate),
            session.provider.rawValue, device.compactMap(\.self).joined(separator: " "),
        ])
    }
}
