import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseTesting
import TestDatabases
import Testing
import TitleScreenFlow

extension GamebaseTests {
    /// The example's title screen with a real server: every branch of its flow chart.
    @Suite @MainActor struct TitleScreenTests {
        /// A player at the title screen.
        private final class Player: TitleScreenView {
            private(set) var shown: [String] = []
            private var answer: ((String) -> Void)?
            private let questions: AsyncStream<String>
            private let asked: AsyncStream<String>.Continuation
            private let (texts, told) = AsyncStream.makeStream(of: String.self)
            private var iterator: AsyncStream<String>.AsyncIterator

            init() {
                (questions, asked) = AsyncStream.makeStream(of: String.self)
                iterator = questions.makeAsyncIterator()
            }

            func show(_ text: String) {
                shown.append(text)
                told.yield(text)
            }

            func choose(_ question: String, from options: [String], _ answer: @escaping (String) -> Void) {
                self.answer = answer
                asked.yield(question)
            }

            func ask(_ question: String, _ answer: @escaping (String) -> Void) { choose(question, from: [], answer) }

            /// Waits for a text. Events are shown independently of the questions.
            @MainActor func untilShown(_ text: String) async {
                for await shown in texts where shown == text { return }
            }

            /// The next question, with the texts shown before it.
            @MainActor func question() async -> String { await iterator.next(isolation: MainActor.shared) ?? "the end" }

            /// Answers, and returns the next question.
            @MainActor func say(_ choice: String) async -> String {
                shown = []
                answer?(choice)
                return await question()
            }

            /// Gives the answer that ends the game.
            func quit() { answer?("Quit") }
        }

        private static func screen(_ player: Player, _ device: GamebaseDevice) -> TitleScreen {
            TCGBGamebase.removeAllEventHandler()
            return TitleScreen(view: player, configuration: device.configuration()) {}
        }

        /// Starts a game, and returns its first question.
        private static func begin(_ device: GamebaseDevice) async -> (Player, TitleScreen, String) {
            let player = Player()
            let screen = screen(player, device)
            screen.start()
            return (player, screen, await player.question())
        }

        @Test(
            "START-2, LOGIN-8, LOGIN-13: no network, maintenance, retries, the last provider",
            arguments: Engine.ofDoors)
        func starting(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.starting(server) }
        }

        private static func starting(_ server: LiveServer) async throws {
            let relay = try Relay(to: try #require(server.url.port))
            defer { relay.close() }
            let storage = MemoryStorage()
            let device = GamebaseDevice(server, "alice", storage, port: relay.port)
            relay.cut()
            let (player, screen, first) = await begin(device)
            #expect(first == "What now?")
            #expect(player.shown.first?.contains("(110)") == true)
            relay.open()
            try await server.run(
                PlanMaintenance(
                    begin: nil, end: Moment(milliseconds: 4_000_000_000_000), message: ["en": "Back soon"], url: nil))
            server.passSecond()
            #expect(await player.say("Retry") == "What now?")
            #expect(player.shown.first?.hasPrefix("Not in service") == true)
            try await server.run(EndMaintenance())
            server.passSecond()
            #expect(await player.say("Retry") == "Log in with")
            relay.cut()
            #expect(await player.say("Guest") == "What now?")
            #expect(player.shown.first?.hasPrefix("No network") == true)
            relay.open()
            #expect(await player.say("Retry") == "Lobby (guest)")
            let user = TCGBGamebase.userID()

            // The game is restarted: without a network nothing is lost.
            let again = Player()
            let second = Self.screen(again, device)
            #expect(await device.start() == nil)
            relay.cut()
            second.loginAgain()
            #expect(await again.question() == "What now?")
            #expect(again.shown.first?.hasPrefix("No network") == true)
            relay.open()
            #expect(await again.say("Retry") == "Lobby (guest)")
            #expect(TCGBGamebase.userID() == user)
            again.quit()
            withExtendedLifetime((screen, second)) {}
        }

        @Test(
            "LOGIN-2, LOGIN-10, BAN-3: cancelled pages, refused logins, bans at both kinds of login",
            arguments: Engine.ofDoors)
        func failing(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.failing(server) }
        }

        private static func failing(_ server: LiveServer) async throws {
            let device = GamebaseDevice(server, "alice", action: .cancel)
            var (player, screen, first) = await begin(device)
            #expect(first == "Log in with")
            #expect(await player.say("Google") == "Log in with")
            #expect(player.shown == ["Cancelled"])

            let storage = MemoryStorage()
            (player, screen, first) = await begin(GamebaseDevice(server, "alice", storage))
            server.idps.set(.wrongAudience, for: .google)
            #expect(await player.say("Google") == "Log in with")
            #expect(player.shown.first?.hasSuffix("(3201)") == true)
            server.idps.set(nil, for: .google)
            #expect(await player.say("Google") == "Lobby (google)")
            let user = UserID(try #require(TCGBGamebase.userID()))
            try await server.run(AddBanTemplate(code: 1, name: "x", texts: ["en": "Cheated."]))
            _ = try await server.run(BanMembers([user], until: nil, template: 1), reason: "x")
            // The next call finds that the session has ended.
            #expect(await player.say("Leave") == "Log in with")
            #expect(player.shown.contains { $0.hasSuffix("(3011)") })
            await player.untilShown("Event: banned")
            #expect(await player.say("Google") == "Log in with")
            #expect(player.shown.last == "Banned (PERMANENT): Cheated.")

            _ = try await server.run(ReleaseBans(users: [user]), reason: "appeal")
            #expect(await player.say("Google") == "Lobby (google)")
            _ = try await server.run(BanMembers([user], until: nil, template: 1), reason: "x")
            (player, screen, first) = await begin(GamebaseDevice(server, "alice", storage))
            #expect(first == "Log in with")
            #expect(player.shown == ["Banned (PERMANENT): Cheated."])
            withExtendedLifetime(screen) {}
        }

        @Test(
            "MAP-2, MAP-3, MAP-6, MAP-7, MAP-8: mapping, and every way out of a conflict", arguments: Engine.ofDoors)
        func mapping(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.mapping(server) }
        }

        private static func mapping(_ server: LiveServer) async throws {
            var (player, screen, _) = await begin(GamebaseDevice(server, "alice"))
            #expect(await player.say("Facebook") == "Lobby (facebook)")
            let other = try #require(TCGBGamebase.userID())
            (player, screen, _) = await begin(GamebaseDevice(server, "alice"))
            #expect(await player.say("Guest") == "Lobby (guest)")
            let own = try #require(TCGBGamebase.userID())
            #expect(await player.say("Map Facebook") == "It belongs to \(other).")
            #expect(await player.say("Leave it") == "Lobby (guest)")
            #expect(await player.say("Map Google") == "Lobby (google)")
            #expect(player.shown == ["Mapped google"])
            #expect(await player.say("Map Google") == "Lobby (google)")
            #expect(player.shown.first?.hasSuffix("(3303)") == true)
            #expect(await player.say("Map Facebook") == "It belongs to \(other).")
            #expect(await player.say("Move it here") == "Lobby (google, facebook)")
            #expect(await player.say("Remove Facebook") == "Lobby (google)")
            #expect(await player.say("Remove Facebook") == "Lobby (google)")
            #expect(player.shown.first?.hasSuffix("(3401)") == true)
            #expect(await player.say("Log out") == "Log in with")
            #expect(await player.say("Facebook") == "Lobby (facebook)")
            let third = TCGBGamebase.userID()
            #expect(third != own)
            #expect(await player.say("Map Google") == "It belongs to \(own).")
            #expect(await player.say("Log in there") == "Lobby (google)")
            #expect(TCGBGamebase.userID() == own)
            withExtendedLifetime(screen) {}
        }

        @Test(
            "TRANSFER-2, TRANSFER-6, TRANSFER-7: a guest moves, and the old device learns it; guessing is blocked",
            arguments: Engine.ofDoors)
        func transfer(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.transfer(server) }
        }

        private static func transfer(_ server: LiveServer) async throws {
            let old = MemoryStorage()
            var (player, screen, _) = await begin(GamebaseDevice(server, "alice", old))
            #expect(await player.say("Guest") == "Lobby (guest)")
            let guest = TCGBGamebase.userID()
            #expect(await player.say("Move to a new device") == "Lobby (guest)")
            let account = String(try #require(player.shown.first).dropFirst("Type in there: ".count))
            let id = String(try #require(account.split(separator: " ").first))

            (player, screen, _) = await begin(GamebaseDevice(server, "alice"))
            let typing = "Id and password of the other device"
            #expect(await player.say("From another device") == typing)
            #expect(await player.say("nonsense") == "Log in with")
            for _ in 0..<5 {
                #expect(await player.say("From another device") == typing)
                #expect(await player.say("\(id) wrongWRONG1") == "Log in with")
                #expect(player.shown == ["Not moved (3044)"])
            }
            #expect(await player.say("From another device") == typing)
            #expect(await player.say(account) == "Log in with")
            #expect(player.shown.count == 1)
            #expect(player.shown.first?.hasPrefix("Too many wrong passwords (5): wait until 20") == true)

            // A new pair is used, because the block concerned the first one.
            (player, screen, _) = await begin(GamebaseDevice(server, "alice", old))
            #expect(await player.say("Move to a new device") == "Lobby (guest)")
            let fresh = String(try #require(player.shown.first).dropFirst("Type in there: ".count))
            (player, screen, _) = await begin(GamebaseDevice(server, "alice"))
            #expect(await player.say("From another device") == typing)
            #expect(await player.say(fresh) == "Lobby (guest)")
            #expect(TCGBGamebase.userID() == guest)

            // The old device starts: its session has ended, and its next guest is a new one.
            (player, screen, _) = await begin(GamebaseDevice(server, "alice", old))
            #expect(await player.say("Guest") == "Lobby (guest)")
            #expect(TCGBGamebase.userID() != guest)
            withExtendedLifetime(screen) {}
        }

        @Test(
            "WITHDRAW-1, WITHDRAW-2, BAN-4, BAN-5: leaving with grace, at once; a grace ban; a kick-out",
            arguments: Engine.ofDoors)
        func leaving(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.leaving(server) }
        }

        private static func leaving(_ server: LiveServer) async throws {
            let storage = MemoryStorage()
            var (player, screen, _) = await begin(GamebaseDevice(server, "alice", storage))
            #expect(await player.say("Apple") == "Lobby (appleid)")
            let user = try #require(TCGBGamebase.userID())
            #expect(await player.say("Keep account") == "Lobby (appleid)")
            #expect(player.shown.first?.hasSuffix("(3603)") == true)
            #expect(await player.say("Leave") == "Lobby (appleid)")
            #expect(await player.say("Leave") == "Lobby (appleid)")
            #expect(player.shown.first?.hasSuffix("(3602)") == true)
            (player, screen, _) = await begin(GamebaseDevice(server, "alice", storage))
            #expect(player.shown.first == "Hello \(user) by appleid")
            #expect(await player.say("Play on") == "Lobby (appleid)")
            #expect(await player.say("Log out") == "Log in with")
            #expect(await player.say("Apple") == "This account will be deleted.")
            #expect(await player.say("Keep it") == "Lobby (appleid)")
            #expect(player.shown == ["This account is kept."])

            try await server.run(KickOut(user: UserID(user), message: ["en": "Bye"]))
            #expect(await player.say("Leave") == "Log in with")
            await player.untilShown("Event: kicked out")
            let graceBan = GraceBan(
                gracePeriodDate: Int64(Date().timeIntervalSince1970 * 1_000) + 86_400_000, message: "Pay!",
                paymentStatus: PaymentStatus(amount: 0, count: 0, currency: "KRW"),
                releaseRuleCondition: ReleaseRuleCondition(amount: 1, count: 0, currency: "KRW", conditionType: .and))
            try await server.registerGraceBan(graceBan, of: UserID(user))
            #expect(await player.say("Apple") == "Lobby (appleid)")
            #expect(player.shown.contains("Settle this in time: Pay!"))
            #expect(await player.say("Delete now") == "Really? It can't be undone.")
            #expect(await player.say("No") == "Lobby (appleid)")
            #expect(await player.say("Delete now") == "Really? It can't be undone.")
            #expect(await player.say("Yes") == "Log in with")
            #expect(player.shown == ["Deleted"])
            #expect(await player.say("Apple") == "Lobby (appleid)")
            #expect(TCGBGamebase.userID() != user)
            // The player's own actions cause no event: it would have come before the next login's state.
            #expect(!player.shown.contains { $0.hasPrefix("Event") })
            player.quit()
            withExtendedLifetime(screen) {}
        }
    }
}
