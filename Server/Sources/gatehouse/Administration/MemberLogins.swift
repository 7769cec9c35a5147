import ArgumentParser
import GatehouseConsole
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseWire

/// Whether a member can log in, as the terminal shows it: what the console's page of the member says, in English.
struct LoginAnswer: Encodable {
    struct Line: Encodable {
        /// What was looked at, and what it is like.
        let text: String
        /// Whether it stops every login, or, of an identity, the logins with it.
        let stops: Bool
        var code: Int?
        /// The name of the code.
        var error: String?
        /// The end of this state, if it has one.
        var until: String?
        /// What the player reads.
        var message: String?
    }

    let user: String
    let canLogIn: Bool
    /// The code of the login that the player would try, and its name.
    private(set) var code: Int?
    private(set) var error: String?
    let lines: [Line]

    init(_ outcome: ExplainLogin.Outcome, of user: UserID, in language: PhraseFormatter) {
        self.user = user.rawValue
        lines = outcome.lines.map { line in
            Line(
                text: language.text(line.sentence), stops: line.code != nil, code: line.code?.rawValue,
                error: line.code?.name, until: line.until.map { Words.time($0.milliseconds) }, message: line.message)
        }
        canLogIn = outcome.code == nil
        (code, error) = (outcome.code?.rawValue, outcome.code?.name)
    }

    /// For a member that the app does not have.
    init(unknown user: UserID) {
        self.user = user.rawValue
        lines = [Line(text: "The app has no member with this user id.", stops: true)]
        canLogIn = false
        (code, error) = (ErrorCode.authNotExistMember.rawValue, ErrorCode.authNotExistMember.name)
    }

    /// Asks for it. A member that does not exist is an answer, too.
    static func read(_ user: UserID, _ administration: Administration, in app: AppID) async throws -> LoginAnswer {
        do {
            let outcome = try await administration.run(ExplainLogin(user: user), in: app)
            return LoginAnswer(outcome, of: user, in: .english(at: administration.now))
        } catch let refusal as Refusal where refusal.code == .authNotExistMember {
            return LoginAnswer(unknown: user)
        }
    }

    /// Where the values of its lines begin, which stand below those of the member.
    static let width = 13

    /// - Parameter all: whether it says everything that was looked at, and not only what stops a login that fails.
    func show(all: Bool) {
        if let code, let error {
            Terminal.say("can log in   no, the login ends with \(code) \(error)")
        } else {
            Terminal.say("can log in   yes")
        }
        for line in lines where all || (line.stops && !canLogIn) {
            let mark: Terminal.Text = !all ? "because" : line.stops ? "stops  " : "fine   "
            Terminal.say("\(mark)      \(line.text)")
            if let until = line.until { Terminal.say("until        \(until)") }
            if let message = line.message { Terminal.say("it reads     \(message)") }
        }
    }
}

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
