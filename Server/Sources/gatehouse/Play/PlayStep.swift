#if Player
import ArgumentParser
import Foundation
import Gatehouse
import GatehousePlatform
import GatehouseWire

/// A step of the game client: a call of the SDK.
struct PlayStep {
    let name: Name
    /// The parts after the colons.
    let arguments: [String]
    /// Whether the script may continue if this step fails.
    var mayFail = false

    /// The step as it is typed.
    var text: String { ([name.rawValue] + arguments).joined(separator: ":") }

    /// The step as it is printed. A credential of another system is a secret, and longer than a line.
    var title: String {
        guard name == .migrate, arguments.count > 2 else { return text }
        return ([name.rawValue] + arguments.prefix(2) + ["..."]).joined(separator: ":")
    }

    enum Name: String, CaseIterable {
        case start, guest, login, last, migrate, me, heartbeat, token, logout
        case sessions, end
        case endOthers = "end-others"
        case map, force, change, unmap
        case issue, query, renew, redeem
        case key
        case redeemKey = "redeem-key"
        case withdraw
        case withdrawRequest = "withdraw-request"
        case withdrawCancel = "withdraw-cancel"
        case withdrawNow = "withdraw-now"
        case device, player

        /// The step's arguments and description.
        var help: (arguments: String, text: String) {
            switch self {
            case .start: ("", "fetch the launching information")
            case .guest: ("", "log in as guest")
            case .login: (":IDP", "log in with an identity provider")
            case .last: ("", "log in with the last provider")
            case .migrate: (":SOURCE:KIND:VALUE", "come from another system with its credential")
            case .me: ("", "fetch the member")
            case .heartbeat: ("", "send a heartbeat")
            case .token: ("[:show]", "get an access token for the game's server; show prints it whole")
            case .logout: ("", "log out")
            case .sessions: ("", "list the sessions of the account")
            case .end: ("[:SESSION]", "end another session: the newest one unless another is named")
            case .endOthers: ("", "end all other sessions")
            case .map: (":IDP", "map an identity; a conflict leaves a ticket")
            case .force: ("", "use the ticket: move the identity here")
            case .change: ("", "use the ticket: log in as the other member")
            case .unmap: (":IDP", "remove a mapping")
            case .issue: ("", "issue a transfer account")
            case .query: ("", "query the transfer account")
            case .renew: (":password, :both, :password:PASSWORD or :both:ID:PASSWORD", "renew it")
            case .redeem: ("[:ID:PASSWORD]", "redeem a transfer account: the last one unless another is named")
            case .key: (":SECONDS", "issue a transfer key")
            case .redeemKey: ("[:KEY]", "redeem a transfer key: the last one unless another is named")
            case .withdraw: ("", "withdraw")
            case .withdrawRequest: ("", "request a withdrawal after the grace period")
            case .withdrawCancel: ("", "cancel it")
            case .withdrawNow: ("", "withdraw without waiting for it")
            case .device: (":NAME", "take up another device")
            case .player: (":NAME", "be somebody else at the identity providers")
            }
        }
    }

    static var help: String {
        Name.allCases.map { "  \($0.rawValue)\($0.help.arguments)  \($0.help.text)" }.joined(separator: "\n")
    }

    init(_ name: Name, _ arguments: String...) {
        self.name = name
        self.arguments = arguments
    }

    /// - Throws: `ValidationError` if the text is not a step.
    init(_ text: String) throws {
        var text = text.trimmingSpaces()[...]
        mayFail = text.hasPrefix("?")
        if mayFail { text = text.dropFirst() }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let name = Name(rawValue: parts[0]) else {
            throw ValidationError(
                "There is no step \(parts[0]): there are \(Name.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        self.name = name
        arguments = Array(parts.dropFirst())
    }

    private func argument(_ index: Int) throws(AuthError) -> String {
        guard arguments.indices.contains(index) else {
            throw AuthError(.invalidParameter, message: "The step is \(name.rawValue)\(name.help.arguments).")
        }
        return arguments[index]
    }

    /// The identity provider of the step.
    var identityProvider: Provider? {
        guard [.login, .map, .unmap].contains(name), let text = arguments.first, text != "guest" else { return nil }
        return Provider(text)
    }

    private func provider() throws(AuthError) -> Provider { Provider(try argument(0)) }

    func run(_ player: Player) async throws(AuthError) -> [String: JSONValue] {
        let gatehouse = player.gatehouse
        switch name {
        case .start:
            let launching = try await gatehouse.start()
            return [
                "status": .integer(Int64(launching.status.rawValue)), "isPlayable": .bool(launching.isPlayable),
                "providers": .array(launching.providers.keys.map(\.rawValue).sorted().map { .string($0) }),
            ]
        case .guest: return Self.fields(try await gatehouse.logIn(with: .guest))
        case .login: return Self.fields(try await gatehouse.logIn(with: provider()))
        case .last: return Self.fields(try await gatehouse.logInWithLastProvider())
        case .migrate:
            let credential = LegacyCredential(
                kind: .init(rawValue: try argument(1)), value: ProviderToken(try argument(2)))
            return Self.fields(try await gatehouse.migrate(from: argument(0), credential: credential))
        case .me: return Self.fields(try await gatehouse.fetchMember())
        case .heartbeat:
            let heartbeat = try await gatehouse.sendHeartbeat()
            return [
                "isPlayable": .bool(heartbeat.standing.isPlayable),
                "actions": .array(heartbeat.standing.actions.map { .string($0.rawValue) }),
                "nextHeartbeatSeconds": .integer(Int64(heartbeat.nextHeartbeatSeconds)),
            ]
        case .token:
            let token = try await gatehouse.validAccessToken().secretValue
            return arguments == ["show"]
                ? ["accessToken": .string(token)] : ["length": .integer(Int64(token.utf8.count))]
        case .logout: try await gatehouse.logOut()
        case .sessions: return Self.fields(try await gatehouse.fetchSessions())
        case .end: try await gatehouse.endSession(session(gatehouse))
        case .endOthers: try await gatehouse.endOtherSessions()
        case .map, .force, .change, .unmap: return try await mapping(player)
        case .issue, .query, .renew, .redeem, .key, .redeemKey: return try await transfer(player)
        case .withdraw: try await gatehouse.withdraw()
        case .withdrawNow: try await gatehouse.withdrawImmediately()
        case .withdrawRequest: return Self.fields(try await gatehouse.requestWithdrawal())
        case .withdrawCancel: return Self.fields(try await gatehouse.cancelWithdrawal())
        case .device: try await player.takeUp(device: argument(0))
        case .player: player.playerName = try argument(0)
        }
        return [:]
    }

    /// The session that the step names, or the newest one of another device.
    private func session(_ gatehouse: GatehouseClient) async throws(AuthError) -> SessionID {
        if let id = arguments.first { return SessionID(id) }
        guard let other = try await gatehouse.fetchSessions().sessions.first(where: { !$0.isCurrent }) else {
            throw AuthError(.invalidParameter, message: "There is no other session.")
        }
        return other.sessionId
    }

    private func mapping(_ player: Player) async throws(AuthError) -> [String: JSONValue] {
        let gatehouse = player.gatehouse
        switch name {
        case .map:
            do throws(AuthError) {
                return Self.fields(try await gatehouse.addMapping(provider()))
            } catch {
                player.ticket = error.forcingMappingTicket ?? player.ticket
                throw error
            }
        case .unmap: return Self.fields(try await gatehouse.removeMapping(provider()))
        default:
            guard let ticket = player.ticket else {
                throw AuthError(.invalidParameter, message: "There is no ticket: a mapping that is refused brings one.")
            }
            guard name == .force else { return Self.fields(try await gatehouse.changeLogin(with: ticket)) }
            return Self.fields(try await gatehouse.addMapping(forcing: ticket))
        }
    }

    private func transfer(_ player: Player) async throws(AuthError) -> [String: JSONValue] {
        let gatehouse = player.gatehouse
        switch name {
        case .issue: return keep(try await gatehouse.issueTransferAccount(), player)
        case .query: return Self.fields(try await gatehouse.queryTransferAccount())
        case .renew: return keep(try await gatehouse.renewTransferAccount(renewal()), player)
        case .key:
            guard let seconds = Int64(try argument(0)) else {
                throw AuthError(.invalidParameter, message: "The step is key:SECONDS.")
            }
            let key = try await gatehouse.issueTransferKey(validFor: .seconds(seconds))
            player.transferKey = key
            return ["transferKey": .string(key.transferKey.secretValue), "expiryDate": .integer(key.expiryDate)]
        case .redeemKey:
            let key = arguments.first ?? player.transferKey?.transferKey.secretValue ?? ""
            return Self.fields(try await gatehouse.redeemTransferKey(TransferKeySecret(key)))
        default:
            let id = arguments.isEmpty ? player.transferAccount?.id ?? "" : try argument(0)
            let password = arguments.isEmpty ? player.transferAccount?.password?.secretValue ?? "" : try argument(1)
            return Self.fields(
                try await gatehouse.redeemTransferAccount(id: id, password: TransferPassword(password)))
        }
    }

    private func renewal() throws(AuthError) -> TransferRenewal {
        switch (try argument(0), arguments.count) {
        case ("password", 1): .automatic(.password)
        case ("both", 1): .automatic(.idAndPassword)
        case ("password", 2): .manual(password: TransferPassword(arguments[1]))
        case ("both", 3): .manual(id: arguments[1], password: TransferPassword(arguments[2]))
        default: throw AuthError(.invalidParameter, message: "The step is renew\(name.help.arguments).")
        }
    }

    private func keep(_ account: TransferAccount, _ player: Player) -> [String: JSONValue] {
        player.transferAccount = account
        return Self.fields(account)
    }

    private static func fields(_ account: TransferAccount) -> [String: JSONValue] {
        [
            "id": .string(account.id), "password": account.password.map { .string($0.secretValue) } ?? .null,
            "type": .string(account.transferAccountType.rawValue),
            "expiryDate": account.expiryDate.map { .integer($0) } ?? .null,
        ]
    }

    private static func fields(_ sessions: DeviceSessions) -> [String: JSONValue] {
        let list = sessions.sessions.map { session -> JSONValue in
            .object([
                "sessionId": .string(session.sessionId.rawValue), "provider": .string(session.provider.rawValue),
                "platform": session.platformName.map { .string($0) } ?? .null,
                "deviceModel": session.deviceModel.map { .string($0) } ?? .null,
                "clientVersion": session.clientVersion.map { .string($0) } ?? .null,
                "beginDate": .integer(session.beginDate), "lastUsedDate": .integer(session.lastUsedDate),
                "isCurrent": .bool(session.isCurrent),
            ])
        }
        return ["sessions": .array(list), "isComplete": .bool(sessions.isComplete)]
    }

    private static func fields(_ login: Login) -> [String: JSONValue] {
        fields(login.member).merging(["provider": .string(login.provider.rawValue)]) { _, new in new }
    }

    private static func fields(_ member: Member) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "memberStatus": .string(member.status.rawValue),
            "mappings": .array(member.mappings.map { .string($0.provider.rawValue) }),
            "registrationDate": .integer(member.registrationDate), "lastLoginDate": .integer(member.lastLoginDate),
        ]
        if let withdrawal = member.temporaryWithdrawal {
            fields["gracePeriodDate"] = .integer(withdrawal.gracePeriodDate)
        }
        return fields
    }
}
#endif
