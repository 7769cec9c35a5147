import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Explains to an operator whether a member can log in, by the rules that decide logins.
package struct ExplainLogin: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    /// One line of the explanation.
    package struct Line: Sendable, Hashable {
        package enum Subject: Sendable, Hashable {
            case app(LaunchingStatus)
            case member(MemberStatus)
            case identity(Provider)
            /// A member without identities.
            case noIdentity
        }

        package let subject: Subject
        /// The code that a login gets; nil if this line stops none.
        package let code: ErrorCode?
        /// What the player reads.
        package var message: String?
        /// The end of this state, if it has one.
        package var until: Moment?
        /// The clients of the rule that gives the app its status here. The client that the player has used last is one of them.
        package var clients: Phrase?

        /// What was looked at, and what it is like.
        package var sentence: Phrase {
            switch subject {
            case .app(let status):
                let status = Phrase.Value.phrase(.status(status))
                return clients.map { Phrase("check.app-rule", ["status": status, "clients": .phrase($0)]) }
                    ?? Phrase("check.app", ["status": status])
            case .member(let status):
                let state = Phrase.Value.word("member.state.\(status.rawValue)", or: status.rawValue)
                return Phrase("check.member", ["status": state])
            case .identity(let provider):
                let key =
                    code != nil ? "check.identity-closed" : until == nil ? "check.identity" : "check.identity-revoked"
                return Phrase(key, ["idp": .providers([provider])])
            case .noIdentity: return "check.no-identity"
            }
        }
    }

    package struct Outcome: Sendable {
        package let lines: [Line]

        /// The code of the login that the player would try; nil if it succeeds. What stops all logins counts before an identity, and
        /// one identity that works is enough.
        package var code: ErrorCode? {
            if let code = lines.first(where: { !$0.isIdentity && $0.code != nil })?.code { return code }
            let identities = lines.filter(\.isIdentity)
            return identities.contains { $0.code == nil } ? nil : identities.first?.code
        }
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let (operators, user) = (work.context, user)
        return try await work.read { tx in
            // The app's status depends on the client that the player has used last.
            let client =
                operators.app.clientRules.isEmpty
                ? nil : try SessionQueries.client(of: user, app: operators.app.id, in: tx)
            let context = CallContext(
                app: operators.app, languages: operators.languages, moment: operators.moment, clientHeader: client)
            guard let found = try MemberQueries.account(user, app: context.app.id, in: tx) else {
                throw Refusal(.authNotExistMember)
            }
            let account = try MemberRules.current(found, at: context.moment, in: tx)
            return Outcome(
                lines: [Self.app(context), try Self.member(account, context, in: tx)]
                    + Self.identities(account, context.app))
        }
    }

    private static func app(_ context: CallContext) -> Line {
        let status = LaunchingRules.statusForEveryone(context)
        let clients = LaunchingRules.decidingRule(context)?.clients
        let window = context.app.openMaintenance(at: context.moment)
        return Line(
            subject: .app(status), code: status.isPlayable ? nil : .authNotPlayable,
            message: status.isPlayable ? nil : StandingRules.standing(status: status, member: .normal, context).message,
            // What a rule says does not end with the maintenance.
            until: clients == nil ? window?.end : nil, clients: clients)
    }

    private static func member(_ account: Account, _ context: CallContext, in tx: Reader) throws -> Line {
        if account.isBanned(at: context.moment) {
            let refusal = try HoldRules.refusal(of: account, context, in: tx)
            return Line(
                subject: .member(account.status), code: refusal.code, message: refusal.message,
                until: account.holds.ban?.endsAt)
        }
        return Line(
            subject: .member(account.status), code: account.isGone ? .authNotExistMember : nil,
            until: account.holds.withdrawsAt ?? account.holds.graceBan?.endsAt ?? account.holds.restorableUntil)
    }

    private static func identities(_ account: Account, _ app: App) -> [Line] {
        if account.mappings.isEmpty { return [Line(subject: .noIdentity, code: .authNotExistMember)] }
        return account.mappings.map { mapping in
            let isOpen = mapping.provider == .guest || app.providers[mapping.provider]?.isEnabled == true
            return Line(
                subject: .identity(mapping.provider), code: isOpen ? nil : .authNotSupportedProvider,
                until: mapping.revokedDate.map { Moment(milliseconds: $0) })
        }
    }
}

extension ExplainLogin.Line {
    fileprivate var isIdentity: Bool {
        switch subject {
        case .identity, .noIdentity: true
        case .app, .member: false
        }
    }
}
