import Gatehouse
import Observation

/// What the screens show, and what the player can do on them. The views only draw it, so that it can be tested without them.
@MainActor @Observable
public final class GameModel {
    /// The screen below notices and dialogs.
    public enum Screen: Equatable, Sendable {
        case title
        case lobby
    }

    public internal(set) var screen = Screen.title
    /// Whether a call is under way: buttons do nothing meanwhile.
    public internal(set) var isBusy = false
    /// Whether the server lets players in.
    public internal(set) var isOpen = false
    /// The player plays on although the server can't be reached.
    public internal(set) var isOffline = false
    /// The identity providers that both the game and the server have.
    public internal(set) var providers: [Provider] = []
    /// The provider of this device's last login.
    public internal(set) var lastProvider: Provider?
    /// The player's account, in the lobby.
    public internal(set) var account: Account?
    /// What the player should read now.
    public internal(set) var notice: Notice?
    /// The choice between two accounts, while the player makes it.
    public internal(set) var conflict: Conflict?
    /// What moves this guest to another phone, while it is shown.
    public internal(set) var transfer: TransferCode?

    /// The window that a provider's page comes up over. The views set it.
    @ObservationIgnored public var presentationAnchor: @MainActor () -> PresentationAnchor? = { nil }
    @ObservationIgnored let gatehouse: GatehouseClient
    @ObservationIgnored private var again: Call?

    typealias Call = @MainActor () async throws(AuthError) -> Void

    public init(_ gatehouse: GatehouseClient) {
        self.gatehouse = gatehouse
    }

    /// Shows what happens while the player does nothing, such as a ban or a kick-out. It ends with its task.
    public func follow() async {
        for await _ in gatehouse.states { settle() }
    }

    /// Does what the notice offers besides closing it.
    public func tryAgain() async {
        if let again { await perform(again) }
    }

    public func closeNotice() { notice = nil }

    /// Makes one call at a time, and shows how it has ended.
    func perform(_ call: @escaping Call) async {
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        notice = nil
        again = call
        do throws(AuthError) {
            try await call()
            settle()
        } catch {
            settle()
            // The next touch asks again whether the game is in service.
            if error.code == .authNotPlayable { isOpen = false }
            if let notice = Notice(error) { self.notice = notice }
        }
    }

    /// What ``tryAgain()`` does if it is not the same call.
    func offer(_ call: @escaping Call) { again = call }

    /// Shows the client's state. Doing it twice shows nothing twice.
    func settle() {
        lastProvider = gatehouse.lastProvider
        isOffline = false
        switch gatehouse.state {
        case .signedIn(let member): enter(member)
        case .offline(let member):
            // A player who was in before plays on; one who comes back can't be let in without the server.
            guard gatehouse.userID != nil else { return }
            isOffline = true
            enter(member)
        case .signedOut(.sessionEnded(let end)):
            if screen == .lobby { notice = Notice(end) }
            leave()
        case .signedOut, .restoring, .locked: leave()
        }
    }

    private func enter(_ member: Member) {
        screen = .lobby
        account = Account(member, standing: gatehouse.standing, providers: providers)
    }

    private func leave() {
        screen = .title
        account = nil
        conflict = nil
        transfer = nil
    }
}
