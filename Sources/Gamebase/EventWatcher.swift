import Foundation
import Gatehouse
import GatehouseWire

/// Turns what the SDK reports into Gamebase's events.
struct EventWatcher: Sendable {
    private let gatehouse: GatehouseClient
    private let events: EventCenter
    /// The providers that a player has turned away from, as the game has been told.
    private struct Told: Sendable {
        var user: UserID
        var providers: Set<Provider> = []
    }

    /// What the game has been told of the last player. It outlives the session, and no other player's login.
    private let told = Locked<Told?>(nil)

    init(_ gatehouse: GatehouseClient, _ events: EventCenter) {
        self.gatehouse = gatehouse
        self.events = events
    }

    /// Runs until its task is cancelled.
    ///
    /// - Parameter status: the last status of the game that the game knows.
    func run(_ status: LaunchingStatus) async {
        await withTaskGroup { group in
            group.addTask { await followStates() }
            group.addTask { await followStandings(status) }
        }
    }

    // MARK: The session

    private func followStates() async {
        var known: (member: Member, provider: Provider)?
        var isReachable = true
        for await state in gatehouse.states {
            switch state {
            case .signedIn(let member):
                known = (member, gatehouse.currentProvider ?? .guest)
                if !isReachable { await network(.ReachableViaWifi) }
                isReachable = true
            case .offline:
                if isReachable { await network(.NotReachable) }
                isReachable = false
            case .signedOut(.sessionEnded(let notice)):
                let wasExpected = events.wasExpected(notice.reason)
                if let known {
                    // A ban that refuses a login is the answer of that call.
                    if !wasExpected, notice.code != .bannedMember { await ended(notice, known.member, known.provider) }
                } else if notice.reason == .transferred, !notice.wasTold {
                    // The transfer happened while the game was closed. Other ends are told by the call that has found them.
                    await transferred(notice)
                }
                known = nil
            case .signedOut, .restoring, .locked: known = nil
            }
        }
    }

    private func network(_ status: NetworkStatus) async {
        await events.send(.observerNetwork, ["code": .integer(Int64(status.rawValue))])
    }

    /// Sends the event that Gamebase's clients expect for each kind of end.
    private func ended(_ notice: SessionNotice, _ member: Member, _ provider: Provider) async {
        switch notice.reason {
        case .banned:
            if let ban = notice.ban.map(TCGBBanInfo.init) {
                GamebaseClient.shared.note(ban)
                if configuration?.isEnableBanPopup() == true { await Notices.alert(.ban(ban)) }
            }
            await events.send(
                .observerHeartbeat, code: ErrorCode.bannedMember.rawValue, message: notice.message)
        case .withdrawn:
            await events.send(
                .observerHeartbeat, code: ErrorCode.invalidMember.rawValue, message: notice.message)
        case .kickedOut:
            let push = Self.push(notice.message)
            await events.send(.serverPushAppKickoutMessageReceived, push)
            if configuration?.isEnableKickoutPopup() == true { await alert(notice) }
            await events.send(.serverPushAppKickout, push)
        case .transferred: await transferred(notice)
        case .consentRevoked: await revoked(notice.provider ?? provider, member, provider)
        default: await loggedOut(notice)
        }
    }

    /// The guest has moved to another device.
    private func transferred(_ notice: SessionNotice) async {
        if configuration?.isEnablePopup() == true { await alert(notice) }
        await events.send(.serverPushTransferKickout, Self.push(notice.message))
        await gatehouse.noteTold(notice)
    }

    private func alert(_ notice: SessionNotice) async {
        if let message = notice.message { await Notices.alert(.sessionEnd(message)) }
    }

    private var configuration: TCGBConfiguration? { GamebaseClient.shared.configuration }

    /// The token is invalid and no other event gives the reason, so the player must log in again.
    private func loggedOut(_ notice: SessionNotice) async {
        let extras = ["reason": JSONValue.string(notice.reason.rawValue)].text()
        let message: JSONValue = notice.message.map { .string($0) } ?? .null
        await events.send(.loggedOut, ["message": message, "extras": .string(extras)])
    }

    private static func push(_ message: String?) -> [String: JSONValue] {
        guard let message else { return [:] }
        let language = GamebaseClient.shared.displayLanguage ?? kTCGBDisplayLanguageCodeEnglish
        return [
            "popup": [
                "defaultLanguage": .string(language),
                "messages": .object([language: ["title": "", "message": .string(message)]]),
            ]
        ]
    }

    private func revoked(_ revoked: Provider, _ member: Member, _ provider: Provider) async {
        _ = news(of: member, [revoked]) { $0.union($1) }
        let others = member.mappings.map(\.provider).filter { $0 != revoked }
        let code: TCGBIdPRevokedCode =
            if others.isEmpty {
                .IDP_REVOKED_WITHDRAW
            } else {
                revoked == provider ? .IDP_REVOKED_OVERWRITE_LOGIN_AND_REMOVE_MAPPING : .IDP_REVOKED_REMOVE_MAPPING
            }
        await events.send(
            .idPRevoked,
            [
                "code": .integer(Int64(code.rawValue)), "idPType": .string(revoked.rawValue),
                "authMappingList": .array(others.map { .string($0.rawValue) }),
            ])
    }

    /// The player has revoked the consent at another provider than the login's. The session continues, and the game is notified once.
    private func followRevocations(_ revoked: Set<Provider>) async {
        guard let member = signedIn, let provider = gatehouse.currentProvider else { return }
        let news = news(of: member, revoked) { $1 }
        for other in news.sorted(by: { $0.rawValue < $1.rawValue }) { await self.revoked(other, member, provider) }
    }

    /// The player who is in, whether or not the server can be reached.
    private var signedIn: Member? {
        switch gatehouse.state {
        case .signedIn(let member), .offline(let member): member
        default: nil
        }
    }

    /// The providers that the game has not been told of, of this player.
    ///
    /// - Parameter merge: what counts as told afterwards, of what was told and what is true now.
    private func news(
        of member: Member, _ revoked: Set<Provider>, _ merge: (Set<Provider>, Set<Provider>) -> Set<Provider>
    ) -> Set<Provider> {
        told.withLock { told in
            let known = told.flatMap { $0.user == member.userId ? $0.providers : nil } ?? []
            told = Told(user: member.userId, providers: merge(known, revoked))
            return revoked.subtracting(known)
        }
    }

    // MARK: The game

    private func followStandings(_ status: LaunchingStatus) async {
        var known = status
        for await standing in gatehouse.standings {
            guard let standing else { continue }
            await followRevocations(Set(standing.revokedProviders ?? []))
            guard standing.launchingStatus != known else { continue }
            known = standing.launchingStatus
            GamebaseClient.shared.didLearn(known, message: standing.message)
            await events.send(.observerLaunching, code: known.rawValue, message: standing.message)
            var change: [String: JSONValue] = ["code": .integer(Int64(known.rawValue))]
            change["message"] = standing.message.map { .string($0) }
            await events.launchingStatus.send(change)
        }
    }
}
