import Foundation
import Gatehouse
import GatehouseWire

/// What Gamebase's API has of state: it knows one app at a time, and its methods belong to no object.
final class GamebaseClient: Sendable {
    static let shared = GamebaseClient()

    private struct State: Sendable {
        var gatehouse: Gatehouse?
        var configuration: TCGBConfiguration?
        var launching: LaunchingInformation?
        /// What players read, best first; nil for the device's own.
        var languages: [String]?
        var isDebugMode = false
        var lastBan: TCGBBanInfo?
        /// The way out of the last conflict, for calls that name its key alone.
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

    var gatehouse: Gatehouse? { state.withLock { $0.gatehouse } }
    var configuration: TCGBConfiguration? { state.withLock { $0.configuration } }
    var launching: LaunchingInformation? { state.withLock { $0.launching } }
    var appID: String? { configuration?.appID }

    var isDebugMode: Bool {
        get { state.withLock { $0.isDebugMode } }
        set { state.withLock { $0.isDebugMode = newValue } }
    }

    /// The ban that stands: a player who is in has none.
    var lastBan: TCGBBanInfo? { gatehouse?.userID == nil ? state.withLock { $0.lastBan } : nil }

    var displayLanguage: String? {
        let (languages, configuration, launching) = state.withLock { ($0.languages, $0.configuration, $0.launching) }
        return languages?.first ?? configuration?.displayLanguageCode() ?? launching?.language
    }

    /// For what is asked from now on; the app's texts come with the next start.
    func setDisplayLanguage(_ code: String) { state.withLock { $0.languages = [code] } }

    /// A client of the SDK for a configuration: nil without a server's address.
    func open(_ configuration: TCGBConfiguration) -> Gatehouse? {
        let languages = [state.withLock { $0.languages?.first } ?? configuration.displayLanguageCode()].compactMap(
            \.self)
        guard let settings = configuration.gatehouse(languages: languages + Locale.preferredLanguages) else {
            return nil
        }
        #if canImport(Network)
        // So that its first answer is there when a game asks.
        _ = NetworkPaths.shared
        #endif
        let gatehouse = Gatehouse(settings)
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

    /// The server has answered: from now on it is followed.
    func didStart(_ information: LaunchingInformation, _ gatehouse: Gatehouse) {
        let isFirst = state.withLock { state in
            defer { state.launching = information }
            return state.gatehouse === gatehouse && state.watch == nil
        }
        guard isFirst else { return }
        let watch = Task { [events] in await EventWatcher(gatehouse, events).run(information.status) }
        state.withLock { $0.watch = watch }
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

    /// Notes what an error tells, on its way to the game.
    func note(_ error: TCGBError) {
        if let ticket = error.cause?.forcingMappingTicket { state.withLock { $0.lastTicket = ticket } }
        // In a conflict 7 tells of the other member's ban.
        guard let ban = TCGBBanInfo(error) else { return }
        if let user = gatehouse?.userID, user.rawValue != ban.userId { return }
        note(ban)
        // A ban that has ended a session comes with another code, and its notice from the one who watches sessions.
        guard error.cause?.code == .bannedMember, configuration?.isEnableBanPopup() == true else { return }
        Notices.show(.ban(ban), events)
    }

    /// A ban, of a login or of a session that it has ended.
    func note(_ ban: TCGBBanInfo) { state.withLock { $0.lastBan = ban } }

    /// Forgets the ban of a player who has left: the next one on this device is another.
    func forgetBan() { state.withLock { $0.lastBan = nil } }

    /// Forgets the ban of a player who is in after a call: it has ended, or was another member's.
    func noteSuccess() {
        guard gatehouse?.userID != nil else { return }
        state.withLock { $0.lastBan = nil }
    }
}
