import Foundation
import Gatehouse
import GatehouseTesting
import Testing

@testable import TitleScreenModel

/// The lobby and its account page.
@MainActor @Suite(.timeLimit(.minutes(1))) struct AccountModelTests {
    private let network = ScriptedTransport()
    private let storage = MemoryStorage()
    private let apple = ScriptedAdapter(.apple)
    private let google = ScriptedAdapter(.google)
    private let now: TimeInterval = 1_795_219_200

    /// A guest in the lobby.
    private func lobby(_ login: ScriptedAnswer = .login()) async -> GameModel {
        network.script(.launching(), login)
        let model = GameModel(.testing(network, storage: storage, adapters: [apple, google]))
        await model.start()
        await model.touch()
        return model
    }

    @Test("A guest links a provider, then another one, and unlinks it")
    func link() async {
        let model = await lobby()
        network.script(.mapped(), .mapped(), .unmapped())
        await model.link(.google)
        #expect(model.account?.linked == [.google] && model.account?.isGuest == false)
        #expect(model.account?.linkable == [.apple])
        await model.link(.apple)
        #expect(model.account?.linked == [.google, .apple] && model.account?.linkable == [])
        await model.unlink(.apple)
        #expect(model.account?.linked == [.google])
    }

    @Test("What can't be linked or unlinked says so, and a lost answer is asked for again")
    func linkFailures() async {
        let model = await lobby()
        network.script(
            .refusal(.authAddMappingAlreadyHasSameIDP), .refusal(.authRemoveMappingLoggedInIDP),
            .lost(.mapped()), .login())
        await model.link(.google)
        #expect(model.notice?.explanation == .alreadyLinked)
        await model.unlink(.google)
        #expect(model.notice?.explanation == .stillNeeded)
        await model.link(.google)
        #expect(model.notice?.title == .noConnection && model.isOffline && model.screen == .lobby)
        await model.tryAgain()
        #expect(model.account?.linked == [.google] && !model.isOffline)
        #expect(google.requests.count == 2)
    }

    @Test("A conflict shows the other account, and the player decides", arguments: GameModel.ConflictChoice.allCases)
    func conflict(choice: GameModel.ConflictChoice) async throws {
        let model = await lobby()
        network.script(.conflict(with: "1M8S4CTH3C9FX6Z3", providers: [.google, .apple], lastLogin: .seconds(60)))
        await model.link(.google)
        let conflict = try #require(model.conflict)
        #expect(conflict.provider == .google && conflict.otherUser == "1M8S4CTH3C9FX6Z3")
        #expect(conflict.otherProviders == [.google, .apple])
        #expect(conflict.lastPlayed == Date(timeIntervalSince1970: now - 60))
        #expect(model.notice == nil)
        switch choice {
        case .moveHere: network.script(.mapped())
        case .playOther: network.script(.login(), .done())
        }
        await model.resolve(conflict, choice)
        #expect(model.conflict == nil && network.stepsLeft == 0)
        #expect(model.account?.userID == (choice == .playOther ? "1M8S4CTH3C9FX6Z3" : .scripted))
        #expect(model.account?.linked == [.google])
    }

    @Test("A conflict that the player leaves changes nothing")
    func leftConflict() async {
        let model = await lobby()
        network.script(.conflict())
        await model.link(.google)
        #expect(model.isAskingAboutConflict)
        model.isAskingAboutConflict = false
        #expect(model.conflict == nil && model.account?.linked == [])
        #expect(network.requests.count == 3)
    }

    @Test("A choice that comes too late is an error with its code, and the account stays")
    func lateChoice() async throws {
        let model = await lobby()
        network.script(.conflict(), .refusal(.authAddMappingForciblyExpiredKey))
        await model.link(.google)
        await model.resolve(try #require(model.conflict), .moveHere)
        #expect(model.notice?.code == 3_313)
        #expect(model.account?.userID == .scripted)
    }

    @Test("A guest gets the id and the password for a new phone, and they are hidden again")
    func transfer() async {
        let model = await lobby()
        network.script(.transferAccount(id: "A1B2", password: "secret", expiresIn: .seconds(60)))
        await model.showTransfer()
        #expect(model.transfer?.id == "A1B2" && model.transfer?.password == "secret")
        #expect(model.transfer?.expiry == Date(timeIntervalSince1970: now + 60))
        #expect(model.isShowingTransfer)
        model.isShowingTransfer = false
        #expect(model.transfer == nil)
    }

    @Test("A deletion has a grace period, which the next login shows too, and can be cancelled")
    func deletion() async {
        let model = await lobby()
        network.script(.withdrawalRequested(gracePeriod: .seconds(60)))
        await model.deleteAccount()
        #expect(model.account?.deletion == Date(timeIntervalSince1970: now + 60))
        #expect(model.account?.message == nil)
        let next = await lobby()
        #expect(next.account?.deletion == Date(timeIntervalSince1970: now + 60))
        network.script(.withdrawalCancelled())
        await next.keepAccount()
        #expect(next.account?.deletion == nil && next.screen == .lobby)
    }

    @Test("A deletion at once ends at the title screen, without a last provider")
    func deleteNow() async {
        let model = await lobby()
        network.script(.done())
        await model.deleteNow()
        #expect(model.screen == .title && model.account == nil && model.lastProvider == nil)
        #expect(model.notice?.title == .deleted)
    }

    @Test("A logout ends at the title screen without a notice, also when the server can't be reached")
    func logOut() async {
        let model = await lobby()
        network.script(.done())
        await model.logOut()
        #expect(model.screen == .title && model.notice == nil && model.lastProvider == nil)
        await model.touch()
        #expect(network.stepsLeft == 0)
        network.script(.login(), .noConnection())
        await model.touch()
        await model.logOut()
        #expect(model.screen == .title && model.notice == nil && model.lastProvider == nil)
        // The next start tells the server.
        network.script(.launching(), .done())
        await model.start()
        #expect(network.stepsLeft == 0)
    }

    @Test("A kick-out and a ban in the middle of a game bring the player to the title, with the operator's text")
    func endedMeanwhile() async {
        for (answer, title) in [
            (ScriptedAnswer.sessionEnded(.kickedOut, message: "Bye."), Phrase.ended),
            (.banned(message: "Bye."), .banned),
        ] {
            let clock = ManualClock()
            let model = GameModel(.testing(network, clock: clock))
            let follower = Task { await model.follow() }
            network.script(.launching(), .login(), answer)
            await model.start()
            await model.touch()
            await clock.waitForSleepers()
            clock.advance(seconds: 120)
            while model.screen == .lobby { await Task.yield() }
            #expect(model.notice?.title == title && model.notice?.message == "Bye.")
            follower.cancel()
            await follower.value
        }
    }

    @Test("A session that a call finds ended says why once")
    func endedByCall() async {
        let model = await lobby()
        network.script(.sessionEnded(.endedElsewhere, message: "Elsewhere."))
        await model.showTransfer()
        #expect(model.screen == .title && model.notice?.message == "Elsewhere.")
        model.closeNotice()
        model.settle()
        #expect(model.notice == nil)
    }

    @Test("What the operator wants the player to read is on the account page")
    func message() async {
        let model = await lobby(.login { $0.standing.message = "Event today." })
        #expect(model.account?.message == "Event today.")
    }
}
