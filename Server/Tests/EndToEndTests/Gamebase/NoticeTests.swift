import Foundation
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import Gamebase

extension GamebaseTests {
    /// Gamebase's own notices, on systems with alerts and on those without.
    @Suite @MainActor struct NoticeTests {
        /// The events that a game has received and the notices that its player has seen, in order.
        private final class Senses: Sendable {
            private let all = Mutex<[String]>([])

            /// - Parameter alerts: whether the system has alerts, as Apple's have.
            init(alerts: Bool) {
                TCGBGamebase.removeAllEventHandler()
                TCGBGamebase.addEventHandler { [self] message in
                    if message.category == "serverPushTransferKickout" {
                        return note("\(message.category): \(Self.text(of: message))")
                    }
                    let data = TCGBGamebaseEventObserverData.gamebaseEventObserverData(jsonString: message.data)
                    note(data.code == 0 ? message.category : "\(message.category) \(data.code)")
                }
                let present: Notices.Presenter = { [self] in note("alert: \($0.message)") }
                GamebaseClient.shared.presenter = alerts ? present : nil
            }

            private func note(_ text: String) { all.withLock { $0.append(text) } }

            /// What the player reads, in the language of the game.
            private static func text(of message: TCGBGamebaseEventMessage) -> String {
                let push = TCGBGamebaseEventServerPushData.gamebaseEventServerPushData(jsonString: message.data)
                let popup = push.popup ?? [:]
                let language = popup["defaultLanguage"] as? String ?? ""
                let text = TCGBUtil.extractValue(fromJson: popup, searchString: "messages.\(language).message")
                return text as? String ?? ""
            }

            func untilHeard(_ text: String) async throws {
                try await eventually("'\(text)' heard by the game") { all.withLock { $0.contains(text) } }
            }

            /// Everything so far, when a kick-out that ends the list has come.
            func untilKickOut(_ server: LiveServer) async throws -> [String] {
                let user = try await NoticeTests.logIn(kTCGBAuthFacebook)
                try await server.run(KickOut(user: user, message: ["en": "End"]))
                _ = await NoticeTests.call()
                try await untilHeard("serverPushAppKickout")
                return all.withLock { all in
                    defer { all = [] }
                    return all.filter { !$0.hasPrefix("serverPushAppKickout") && $0 != "alert: End" }
                }
            }
        }

        private static func start(_ device: GamebaseDevice, popups: Bool = true, banPopups: Bool = true) async {
            let configuration = device.configuration()
            configuration.enablePopup(popups)
            configuration.enableBanPopup(banPopups)
            let error = await GamebaseDevice.start(configuration)
            #expect(error == nil)
        }

        private static func logInAnyhow(_ type: String) async -> TCGBError? {
            await ended { done in
                TCGBGamebase.login(type: type, viewController: UIViewController()) { done($1) }
            }
        }

        private static func logIn(_ type: String) async throws -> UserID {
            #expect(await logInAnyhow(type) == nil)
            return UserID(try #require(TCGBGamebase.userID()))
        }

        private static func last() async -> TCGBError? {
            await ended { done in
                TCGBGamebase.loginForLastLoggedInProvider(viewController: nil) { done($1) }
            }
        }

        /// A call that finds out whether the session is valid.
        private static func call() async -> TCGBError? {
            await ended { done in TCGBGamebase.queryTransferAccount { done($1) } }
        }

        private static let old: any OldCalls = Old()

        /// The player's own ban, from the old API.
        private static func banInfo() -> TCGBBanInfo? { old.banInfo() }

        @Test(
            "BAN-6, INFO-2: alert and event of a ban come once, for this player's ban alone, and banInfo() is of the ban that stands",
            arguments: Engine.ofDoors)
        func bans(engine: Engine) async throws {
            defer { GamebaseClient.shared.presenter = Notices.standardPresenter }
            try await LiveServer.run(on: engine) { server in
                for alerts in [true, false] { try await Self.bans(server, alerts: alerts) }
            }
        }

        private static func bans(_ server: LiveServer, alerts: Bool) async throws {
            let player = alerts ? "alice" : "bob"
            try await server.run(AddBanTemplate(code: 1, name: "Bot", texts: ["en": "No bots."]))
            let senses = Senses(alerts: alerts)
            let device = GamebaseDevice(server, player)
            await start(device)
            let user = try await logIn(kTCGBAuthGoogle)
            let told = alerts ? ["alert: No bots."] : ["observerHeartbeat 7"]

            // A ban during play causes its event, and an alert if there are alerts.
            _ = try await server.run(BanMembers([user], until: nil, template: 1), reason: "x")
            #expect(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            #expect(banInfo()?.userId == user.rawValue)
            let live = alerts ? told + ["observerHeartbeat 7"] : told
            #expect(try await senses.untilKickOut(server) == live)
            #expect(banInfo() == nil)

            // A refused login shows a notice to the player, and causes no event.
            #expect(await logInAnyhow(kTCGBAuthGoogle)?.code == TCGB_ERROR_BANNED_MEMBER)
            #expect(banInfo()?.message == "No bots.")
            #expect(try await senses.untilKickOut(server) == told)

            // Another member's ban, in a conflict, is not this player's.
            _ = await logInAnyhow(kTCGBAuthGuest)
            let conflict: TCGBError? = await ended { done in
                TCGBGamebase.addMapping(type: kTCGBAuthGoogle, viewController: UIViewController()) { done($1) }
            }
            #expect(conflict?.code == TCGB_ERROR_BANNED_MEMBER)
            #expect(banInfo() == nil)
            let out: TCGBError? = await ended { done in TCGBGamebase.logout(viewController: nil) { done($0) } }
            #expect(out == nil)
            #expect(try await senses.untilKickOut(server).isEmpty)

            // A player who has been banned during play, and leaves, takes the ban along.
            let other = try await logIn(kTCGBAuthFacebook)
            _ = try await server.run(BanMembers([other], until: nil, template: 1), reason: "x")
            #expect(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            _ = try await server.run(ReleaseBans(users: [other]), reason: "mistaken")
            #expect(banInfo()?.userId == other.rawValue)
            try await senses.untilHeard("observerHeartbeat 7")
            let left: TCGBError? = await ended { done in TCGBGamebase.logout(viewController: nil) { done($0) } }
            #expect(left == nil)
            #expect(banInfo() == nil)
            #expect(try await senses.untilKickOut(server) == live)

            // Released, and in again: no ban stands, also after the next logout.
            #expect(await logInAnyhow(kTCGBAuthGoogle)?.code == TCGB_ERROR_BANNED_MEMBER)
            _ = try await server.run(ReleaseBans(users: [user]), reason: "mistaken")
            _ = try await logIn(kTCGBAuthGoogle)
            #expect(banInfo() == nil)
            let again: TCGBError? = await ended { done in TCGBGamebase.logout(viewController: nil) { done($0) } }
            #expect(again == nil)
            #expect(banInfo() == nil)
            #expect(try await senses.untilKickOut(server) == told)

            // After a login by the last provider during play, only the call itself reports the ban.
            _ = try await logIn(kTCGBAuthGoogle)
            _ = try await server.run(BanMembers([user], until: nil, template: 1), reason: "x")
            #expect(await last()?.code == TCGB_ERROR_BANNED_MEMBER)
            #expect(try await senses.untilKickOut(server) == told)

            // With one of the two switched off nothing is shown.
            for (popups, banPopups) in [(true, false), (false, true)] {
                await start(device, popups: popups, banPopups: banPopups)
                #expect(await logInAnyhow(kTCGBAuthGoogle)?.code == TCGB_ERROR_BANNED_MEMBER)
                #expect(try await senses.untilKickOut(server).isEmpty)
            }
        }

        @Test(
            "BAN-6, TRANSFER-7: the old device learns once that the transfer is complete, also when the game was closed meanwhile",
            arguments: Engine.ofDoors)
        func transfers(engine: Engine) async throws {
            defer { GamebaseClient.shared.presenter = Notices.standardPresenter }
            try await LiveServer.run(on: engine) { server in
                for (alerts, isClosed) in [(true, true), (true, false), (false, true), (false, false)] {
                    for byKey in [false, true] {
                        try await Self.transfer(server, alerts: alerts, isClosed: isClosed, byKey: byKey)
                    }
                }
            }
        }

        /// Issues the newer guides' account or the oldest guide's key, and returns how another device redeems it.
        private static func issue(key: Bool) async throws -> @Sendable (GatehouseClient) async throws -> Void {
            if key {
                let key: TCGBTransferKeyInfo? = await ended { done in old.issueTransferKey { info, _ in done(info) } }
                let secret = TransferKeySecret(try #require(key?.transferKey))
                return { _ = try await $0.redeemTransferKey(secret) }
            }
            let account: TCGBTransferAccountInfo? = await ended { done in
                TCGBGamebase.issueTransferAccount { info, _ in done(info) }
            }
            let id = try #require(account?.account.accountId)
            let password = TransferPassword(try #require(account?.account.accountPassword))
            return { _ = try await $0.redeemTransferAccount(id: id, password: password) }
        }

        private static func transfer(
            _ server: LiveServer, alerts: Bool, isClosed: Bool, byKey: Bool
        ) async throws {
            let senses = Senses(alerts: alerts)
            let storage = MemoryStorage()
            let device = GamebaseDevice(server, "alice", storage)
            await start(device)
            _ = try await logIn(kTCGBAuthGuest)
            let redeem = try await issue(key: byKey)
            if isClosed { await start(GamebaseDevice(server, "nobody")) }
            let other = server.device("other", MemoryStorage())
            try await other.start()
            try await redeem(other)
            if isClosed {
                await start(device)
            } else {
                #expect(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            }
            for isFirst in [true, false] {
                for _ in 0..<2 {
                    #expect(await last()?.code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
                }
                guard isFirst else { break }
                // Told, the game is started once more.
                try await eventually("session in the storage whose end was told") {
                    storage.contents["session"].map { String(decoding: $0, as: UTF8.self).contains("endWasTold") }
                        ?? false
                }
                await start(device)
            }
            let text = "The transfer is complete: your account has moved to another device."
            let told = (alerts ? ["alert: \(text)"] : []) + ["serverPushTransferKickout: \(text)"]
            #expect(try await senses.untilKickOut(server) == told)
        }

        @Test("BAN-6: maintenance that begins during play, and its end, reach the game once each")
        func maintenance() async throws {
            defer { GamebaseClient.shared.presenter = Notices.standardPresenter }
            try await LiveServer.run(on: .sqlite) { server in try await Self.maintenance(server) }
        }

        private static func maintenance(_ server: LiveServer) async throws {
            let senses = Senses(alerts: true)
            await start(GamebaseDevice(server, "alice"))
            _ = try await logIn(kTCGBAuthGuest)
            let gatehouse = try #require(GamebaseClient.shared.gatehouse)
            for isOn in [true, false] {
                if isOn {
                    let end = Moment(milliseconds: 4_000_000_000_000)
                    try await server.run(PlanMaintenance(begin: nil, end: end, message: ["en": "Back soon"], url: nil))
                } else {
                    try await server.run(EndMaintenance())
                }
                server.passSecond()
                for _ in 0..<2 { #expect(try await gatehouse.sendHeartbeat().standing.isPlayable == !isOn) }
            }
            let out: TCGBError? = await ended { done in TCGBGamebase.logout(viewController: nil) { done($0) } }
            #expect(out == nil)
            #expect(try await senses.untilKickOut(server) == ["observerLaunching 303", "observerLaunching 200"])
        }

        @Test(
            "BAN-5, BAN-6: notices of kick-outs and transfers have a text without an operator's, and an alert where the game wants it",
            arguments: Engine.ofDoors)
        func kickOuts(engine: Engine) async throws {
            defer { GamebaseClient.shared.presenter = Notices.standardPresenter }
            try await LiveServer.run(on: engine) { server in try await Self.kickOuts(server) }
        }

        private static func kickOuts(_ server: LiveServer) async throws {
            let alerts = Mutex<[String]>([])
            GamebaseClient.shared.presenter = { notice in alerts.withLock { $0.append(notice.message) } }
            TCGBGamebase.removeAllEventHandler()
            let (messages, heard) = AsyncStream.makeStream(of: TCGBGamebaseEventMessage.self)
            TCGBGamebase.addEventHandler { heard.yield($0) }
            var heardMessages = messages.makeAsyncIterator()
            for isWanted in [true, false] {
                let configuration = GamebaseDevice(server, "alice").configuration()
                configuration.enablePopup(true)
                old.enableKickoutPopup(isWanted, of: configuration)
                configuration.setDisplayLanguageCode(kTCGBDisplayLanguageCodeKorean)
                let error = await GamebaseDevice.start(configuration)
                #expect(error == nil)
                let user = try await logIn(kTCGBAuthGoogle)
                try await server.run(KickOut(user: user, message: [:]))
                _ = await call()
                for category in ["serverPushAppKickoutMessageReceived", "serverPushAppKickout"] {
                    let message = await heardMessages.next(isolation: MainActor.shared)
                    #expect(message?.category == category)
                    let push = TCGBGamebaseEventServerPushData.gamebaseEventServerPushData(jsonString: message?.data)
                    let text = TCGBUtil.extractValue(fromJson: push.popup ?? [:], searchString: "messages.ko.message")
                    #expect(text as? String == "운영자에 의해 로그아웃되었습니다. 다시 로그인해 주세요.")
                }
            }
            #expect(alerts.withLock { $0 } == ["운영자에 의해 로그아웃되었습니다. 다시 로그인해 주세요."])
        }
    }
}

/// APIs that newer versions of Gamebase mark as deprecated. Calling them through this protocol avoids the warning.
private protocol OldCalls: Sendable {
    func banInfo() -> TCGBBanInfo?
    func issueTransferKey(_ completion: @escaping TransferKeyCompletion)
    func enableKickoutPopup(_ isEnabled: Bool, of configuration: TCGBConfiguration)
}

private struct Old: OldCalls {
    @available(*, deprecated)
    func banInfo() -> TCGBBanInfo? { TCGBGamebase.banInfo() }

    @available(*, deprecated)
    func issueTransferKey(_ completion: @escaping TransferKeyCompletion) {
        TCGBGamebase.issueTransferKey(expiresIn: 3_600, completion: completion)
    }

    @available(*, deprecated)
    func enableKickoutPopup(_ isEnabled: Bool, of configuration: TCGBConfiguration) {
        configuration.enableKickoutPopup(isEnabled)
    }
}
