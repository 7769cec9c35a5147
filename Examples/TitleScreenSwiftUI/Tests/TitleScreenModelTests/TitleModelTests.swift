import Foundation
import Gatehouse
import GatehouseTesting
import Testing

@testable import TitleScreenModel

/// The way from the title screen into the lobby, and everything that can stand in it.
@MainActor @Suite(.timeLimit(.minutes(1))) struct TitleModelTests {
    private let network = ScriptedTransport()
    private let storage = MemoryStorage()
    private let apple = ScriptedAdapter(.apple)
    private let google = ScriptedAdapter(.google)

    /// The game after a start of the app, with what the device has stored.
    private func launch(_ answers: ScriptedAnswer...) async -> GameModel {
        for answer in answers { network.script(answer) }
        let model = GameModel(.testing(network, storage: storage, adapters: [apple, google]))
        await model.start()
        return model
    }

    @Test("A new player touches the screen and is in the lobby as a guest")
    func guest() async {
        let model = await launch(.launching(), .login())
        #expect(model.screen == .title && model.isOpen)
        #expect(model.providers == [.apple, .google])
        #expect(model.lastProvider == nil)
        await model.touch()
        #expect(model.screen == .lobby)
        #expect(model.account?.userID == .scripted)
        #expect(model.account?.isGuest == true)
        #expect(model.account?.linkable == [.apple, .google])
        #expect(model.notice == nil && !model.isBusy)
    }

    @Test("Only what both the game and the server have is offered")
    func providers() async {
        #expect(await launch(.launching(providers: [.guest, .google, .line])).providers == [.google])
    }

    @Test("A player who comes back touches the screen and goes on, with the provider of the last time")
    func comesBack() async {
        let first = await launch(.launching(), .login())
        await first.logIn(with: .google)
        #expect(first.account?.linked == [.google])
        let model = await launch(.launching(), .login(provider: .google, mappings: [.google]))
        #expect(model.lastProvider == .google)
        await model.touch()
        #expect(model.screen == .lobby)
        #expect(google.requests.count == 1)
    }

    @Test("A session that is over is opened again at its provider")
    func sessionOver() async {
        await launch(.launching(), .login()).logIn(with: .google)
        let model = await launch(.launching(), .sessionEnded(.sessionExpired), .login())
        await model.touch()
        #expect(model.screen == .lobby)
        #expect(google.requests.count == 2)
    }

    @Test("A guest whose session is over reads why, and may start over")
    func guestIsOver() async {
        await launch(.launching(), .login()).touch()
        let model = await launch(.launching(), .sessionEnded(.transferred, message: "Moved."), .login())
        await model.touch()
        #expect(model.screen == .title)
        #expect(model.notice?.title == .ended)
        #expect(model.notice?.message == "Moved.")
        #expect(model.notice?.action == .startOver)
        await model.tryAgain()
        #expect(model.screen == .lobby && model.notice == nil)
    }

    @Test("A maintenance has its text, its end and its page; the next touch asks again")
    func maintenance() async throws {
        let model = await launch(.maintenance(message: "Back soon.", url: "https://game.example/m"))
        #expect(!model.isOpen)
        let notice = try #require(model.notice)
        #expect(notice.title == .maintenance && notice.message == "Back soon." && notice.explanation == nil)
        #expect(notice.until == Date(timeIntervalSince1970: 1_795_226_400))
        #expect(notice.link?.absoluteString == "https://game.example/m")
        #expect(notice.action == .tryAgain)
        network.script(.launching(), .login())
        await model.touch()
        #expect(model.screen == .lobby && model.notice == nil)
    }

    @Test("A maintenance that begins while the title screen is shown stops the login")
    func maintenanceBegins() async {
        let model = await launch(.launching(), .notPlayable())
        await model.touch()
        #expect(model.notice?.title == .maintenance)
        #expect(!model.isOpen && model.screen == .title)
    }

    @Test("An update is asked for with its address; one that is recommended lets the player in")
    func updates() async throws {
        let url = try #require(URL(string: "https://store.example.com/game"))
        let required = await launch(.updateRequired())
        #expect(required.notice?.title == .updateRequired && required.notice?.action == .update(url))
        network.script(.updateRequired())
        await required.logIn(with: .google)
        #expect(required.screen == .title && google.requests.isEmpty)
        let recommended = await launch(.updateRecommended(), .login())
        #expect(recommended.notice?.title == .updateRecommended && recommended.notice?.action == .update(url))
        #expect(recommended.notice?.explanation == .updateRecommendedText)
        recommended.closeNotice()
        await recommended.touch()
        #expect(recommended.screen == .lobby)
        #expect(await launch(.terminated()).notice?.title == .terminated)
        let late = await launch(.launching())
        network.script(.refusal(.authNotPlayable))
        await late.touch()
        #expect(late.notice?.explanation == .maintenanceText)
    }

    @Test("The operator's greeting is news, and a planned maintenance too")
    func news() async {
        #expect(await launch(.launching(message: "Welcome.")).notice?.title == .news)
        let model = await launch(.maintenance(message: "Tomorrow.", from: .seconds(86_400), until: .seconds(90_000)))
        #expect(model.notice?.title == .news && model.notice?.message == "Tomorrow.")
        #expect(model.isOpen)
    }

    @Test("A banned player reads until when, why, and whom to ask")
    func ban() async throws {
        let model = await launch(
            .launching(),
            .banned(for: .seconds(60), message: "Cheating.", contact: "help", contactURL: "https://h.example"))
        await model.touch()
        let notice = try #require(model.notice)
        #expect(notice.title == .banned && notice.message == "Cheating.")
        #expect(notice.until == Date(timeIntervalSince1970: 1_795_219_260))
        #expect(notice.contact == "help" && notice.link?.absoluteString == "https://h.example")
        #expect(notice.action == nil)
        #expect(model.screen == .title)
    }

    @Test("Without a connection the player tries again, at the start and at a login, and nothing is done twice")
    func noConnection() async {
        let model = await launch(.noConnection())
        #expect(model.notice?.title == .noConnection && model.notice?.action == .tryAgain)
        network.script(.launching())
        await model.tryAgain()
        #expect(model.isOpen && model.notice == nil)
        network.script(.lost(.login()), .login())
        await model.touch()
        #expect(model.notice?.title == .noConnection && model.screen == .title)
        await model.tryAgain()
        #expect(model.screen == .lobby)
        let logins = network.requests.filter { $0.url.path.hasSuffix("/login") }
        #expect(Set(logins.map { $0.headers["Idempotency-Key"] }).count == 1)
    }

    @Test("A player who comes back without a connection stays at the title, and loses nothing")
    func offlineAtTitle() async {
        await launch(.launching(), .login()).touch()
        let model = await launch(.launching(), .noConnection(), .login())
        await model.touch()
        #expect(model.screen == .title && model.notice?.title == .noConnection)
        #expect(model.lastProvider == .guest)
        await model.tryAgain()
        #expect(model.screen == .lobby)
    }

    @Test("A page that is closed says nothing; what the provider wants first is said; anything else has its code")
    func providerFailures() async {
        let model = await launch(.launching())
        google.fail(.cancelled)
        await model.logIn(with: .google)
        #expect(model.notice == nil && model.screen == .title)
        google.fail(.externalLoginRequired)
        await model.logIn(with: .google)
        #expect(model.notice?.title == .signInFirst)
        network.script(.refusal(.authIDPLoginFailed, reason: .credentialRejected))
        await model.logIn(with: .google)
        #expect(model.notice?.title == .failed && model.notice?.code == 3_201)
        #expect(model.notice?.transaction == "scripted", "support finds the call by it")
        network.script(.refusal(.serverInternalError, reason: .overloaded))
        await model.logIn(with: .google)
        #expect(model.notice?.title == .busy && model.notice?.action == .tryAgain)
    }

    @Test("A provider's page comes up over the game's window")
    func anchor() async {
        let model = await launch(.launching(), .login())
        model.presentationAnchor = { PresentationAnchor() }
        await model.logIn(with: .apple)
        #expect(apple.requests.first?.presentationAnchor != nil)
    }

    @Test("A second touch while the first is under way does nothing")
    func twice() async {
        let model = await launch(.launching(), .hanging())
        let first = Task { await model.touch() }
        while !model.isBusy || network.stepsLeft > 0 { await Task.yield() }
        await model.touch()
        await model.logIn(with: .google)
        #expect(model.isBusy)
        #expect(network.requests.count == 2 && google.requests.isEmpty)
        first.cancel()
        await first.value
        #expect(!model.isBusy && model.notice == nil)
    }

    @Test("A guest moves here from another phone; a wrong password, a block and an expired id are said")
    func moveHere() async {
        let model = await launch(
            .launching(), .refusal(.authTransferAccountInvalidPassword), .refusal(.authTransferAccountExpired),
            .refusal(.sameRequestor), .transferBlocked(for: .seconds(60)), .login(userID: "1M8S4CTH3C9FX6Z3"))
        for explanation in [Phrase.transferWrong, .transferOver, .transferNotHere, .transferBlocked] {
            await model.moveHere(id: "A1B2", password: "secret")
            #expect(model.notice?.title == .transferFailed && model.notice?.explanation == explanation)
        }
        #expect(model.notice?.until == Date(timeIntervalSince1970: 1_795_219_260))
        await model.moveHere(id: "A1B2", password: "secret")
        #expect(model.account?.userID == "1M8S4CTH3C9FX6Z3")
    }
}
