import Foundation
import Gatehouse
import GatehouseWire

/// The state of Gamebase's API, which handles one app at a time and whose methods belong to no object.
final class GamebaseClient: Sendable {
    static let shared = GamebaseClient()

    private struct State: Sendable {
        var gatehouse: GatehouseClient?
        var configuration: TCGBConfiguration?
        var launching: LaunchingInformation?
        /// The player's languages, preferred first; nil for the device's own.
        var languages: [String]?
        var isDebugMode = false
        var lastBan: TCGBBanInfo?
        /// The ticket of the last conflict, for calls that pass only its key.
        var lastTicket: ForcingMappingTicket?
        var watch: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let alerts = Locked(Notices.standardPresenter)
    let events = EventCenter()

    /// Shows alerts; nil on systems without them.
    var presenter: Notices.Presenter? {
        get { alerts.withLock { $0 } }
        set { alerts.withLock { $0 = newValue } }
    }

    var gatehouse: GatehouseClient? { state.withLock { $0.gatehouse } }
    var configuration: TCGBConfiguration? { state.withLock { $0.configuration } }
    var launching: LaunchingInformation? { state.withLock { $0.launching } }
    var appID: String? { configuration?.appID }

    var isDebugMode: Bool {
        get { state.withLock { $0.isDebugMode } }
        set { state.withLock { $0.isDebugMode = newValue } }
    }

    /// The current ban; nil while a player is logged in.
    var lastBan: TCGBBanInfo? { gatehouse?.userID == nil ? state.withLock { $0.lastBan } : nil }

    var displayLanguage: String? {
        let (languages, configuration, launching) = state.withLock { ($0.languages, $0.configuration, $0.launching) }
        return languages?.first ?? configuration?.displayLanguageCode() ?? launching?.language
    }

    /// Sets the language of later calls. The app's texts change with the next start.
    func setDisplayLanguage(_ code: String) { state.withLock { $0.languages = [code] } }

    /// Opens an SDK client for a configuration. Nil without a server address.
    func open(_ configuration: TCGBConfiguration) -> GatehouseClient? {
        let languages = [state.withLock { $0.languages?.first } ?? configuration.displayLanguageCode()].compactMap(
            \.self)
        guard let settings = configuration.gatehouse(languages: languages + Locale.preferredLanguages) else {
            return nil
        }
        #if canImport(Network)
        // The monitor starts now, so that its first result is available when a game asks.
        _ = NetworkPaths.shared
        #endif
        let gatehouse = GatehouseClient(settings)
        let old = state.withLock { state in
            defer {
                state = State(
                    gatehouse: gatehouse, configuration: configuration, languages: state.languages,
                    isDebugMode: state.isDebugMode)
            }
            return state.watch
        }
        old?.cancel()
        return gatehouse
    }

    /// The server has answered, so its events are followed from now on. The answer to a client that has been replaced meanwhile is dropped.
    func didStart(_ information: LaunchingInformation, _ gatehouse: GatehouseClient) {
        state.withLock { state in
            guard state.gatehouse === gatehouse else { return }
            state.launching = information
            guard state.watch == nil else { return }
            state.watch = Task { [events] in await EventWatcher(gatehouse, events).run(information.status) }
        }
    }

    /// What a start completes with.
    func json(of information: LaunchingInformation) -> [String: JSONValue] {
        information.gamebaseJSON(storeCode: configuration?.storeCode() ?? "AS")
    }

    func didLearn(_ status: LaunchingStatus, message: String?) {
        state.withLock { state in
            state.launching?.status = status
            state.launching?.isPlayable = status.isPlayable
            state.launching?.message = message
        }
    }

    /// The ticket that a key belongs to.
    func ticket(type: String, key: String) throws(AuthError) -> ForcingMappingTicket {
        guard let ticket = state.withLock({ $0.lastTicket }), ticket.forcingMappingKey.secretValue == key else {
            throw AuthError(.authAddMappingForciblyNotExistKey)
        }
        guard ticket.provider.rawValue == type else { throw AuthError(.authAddMappingForciblyDifferentIDP) }
        return ticket
    }

    /// Stores the information in an error before the game receives it.
    func note(_ error: TCGBError) {
        if let ticket = error.cause?.forcingMappingTicket { state.withLock { $0.lastTicket = ticket } }
        // In a conflict, 7 means that the other member is banned.
        guard let ban = TCGBBanInfo(error) else { return }
        if let user = gatehouse?.userID, user.rawValue != ban.userId { return }
        note(ban)
        // A ban that has ended a session comes with another code, and the event watcher shows its notice.
        guard error.cause?.code == .bannedMember, configuration?.isEnableBanPopup() == true else { return }
        Notices.show(.ban(ban), events)
    }

    /// Stores a ban that refused a login or ended a session.
    func note(_ ban: TCGBBanInfo) { state.withLock { $0.lastBan = ban } }

    /// Forgets the ban of a player who has left: the next one on this device is another.
    func forgetBan() { state.withLock { $0.lastBan = nil } }

    /// Forgets the ban of a player who is in after a call: it has ended, or was another member's.
    func noteSuccess() {
        guard gatehouse?.userID != nil else { return }
        state.withLock { $0.lastBan = nil }
    }
}

/// Connects Gamebase's completions to the SDK's calls: a completion is called exactly once, on the main thread, whether the call
/// succeeds or fails.
struct Bridge<Value: Sendable>: Sendable {
    /// The game's own closure, which is called exactly once.
    private let completion: Unchecked<((Value?, TCGBError?) -> Void)?>

    init(_ completion: ((Value?, TCGBError?) -> Void)?) {
        self.completion = Unchecked(completion)
    }

    /// Makes a call. It returns at once.
    func call(_ body: @escaping @Sendable (GatehouseClient) async throws(AuthError) -> Value) {
        guard let gatehouse = GamebaseClient.shared.gatehouse else {
            return refuse(AuthError(.notInitialized))
        }
        Task {
            do throws(AuthError) {
                let value = try await body(gatehouse)
                GamebaseClient.shared.noteSuccess()
                await complete(value, nil)
            } catch {
                await fail(error)
            }
        }
    }

    /// Completes with an error without a call.
    func refuse(_ error: AuthError) {
        Task { await fail(error) }
    }

    private func fail(_ error: AuthError) async {
        let error = TCGBError(error, appID: GamebaseClient.shared.appID)
        GamebaseClient.shared.note(error)
        await complete(nil, error)
    }

    @MainActor private func complete(_ value: Value?, _ error: TCGBError?) {
        completion.value?(value, error)
    }
}

extension Bridge where Value == Empty {
    /// Makes a bridge for a completion that takes only an error.
    init(_ completion: ((TCGBError?) -> Void)?) {
        self.init(completion.map { completion in { _, error in completion(error) } })
    }

    func call(_ body: @escaping @Sendable (GatehouseClient) async throws(AuthError) -> Void) {
        call { (gatehouse) async throws(AuthError) in
            try await body(gatehouse)
            return Empty()
        }
    }
}
