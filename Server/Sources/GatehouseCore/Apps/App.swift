import GatehousePlatform
package import GatehouseProviders
package import GatehouseSecurity
package import GatehouseWire
import Synchronization

/// A game, as the server stores it.
package struct App: Sendable, Hashable {
    package var id: AppID
    package var name: String
    /// The status as it was set. Players get ``currentStatus(at:)``.
    package var status: LaunchingStatus
    /// The message to players while the app is not in service, by language (BCP 47).
    package var statusMessage: LocalizedText
    package var maintenance: MaintenanceWindow?
    /// The language of messages that are not available in the player's.
    package var defaultLanguage: String
    package var limits = AppLimits()
    /// How accounts are transferred, restored and withdrawn, and how their players can contact the operator.
    package var policy = AccountPolicy()
    /// The last time all members were kicked out.
    var kickOut: KickOut?
    /// The identity providers beside `guest`, enabled or not.
    package var providers: [Provider: ProviderConfiguration] = [:]
    /// What clients of some systems, stores and versions get instead of ``status``, in their order.
    package var clientRules: [ClientRule] = []
    var createdAt: Moment

    /// Stands in a call about the server as a whole, which is about no app, and has the default of every setting. No row of the database is
    /// this app's.
    static let ofServer = App(
        id: AppID(""), name: "", status: .inService, statusMessage: LocalizedText(), defaultLanguage: "en",
        createdAt: Moment(milliseconds: 0))

    /// From `begin` (inclusive) to `end` (exclusive).
    package struct MaintenanceWindow: Sendable, Hashable {
        package var begin: Moment
        package var end: Moment
        package var message: LocalizedText
        package var url: String?
        /// The reason as one word, for operators and game servers.
        package var reason: String?

        package init(
            begin: Moment, end: Moment, message: LocalizedText, url: String? = nil, reason: String? = nil
        ) {
            self.begin = begin
            self.end = end
            self.message = message
            self.url = url
            self.reason = reason
        }
    }

    /// What the app is at a moment for every player whose client no rule is about: under maintenance while a window is open, and else as
    /// it was set.
    package func currentStatus(at moment: Moment) -> LaunchingStatus {
        status.isPlayable && openMaintenance(at: moment) != nil ? .maintenance : status
    }

    /// The maintenance that runs.
    func openMaintenance(at moment: Moment) -> MaintenanceWindow? {
        maintenance.flatMap { $0.begin <= moment && moment < $0.end ? $0 : nil }
    }

    /// The end of all members' sessions.
    package struct KickOut: Sendable, Hashable {
        var at: Moment
        var message: LocalizedText

        /// The time during which a node may not know of a kick-out yet: its information about apps is up to a second old
        /// (``AppDirectory``), and another second allows for the write itself. Until then it signs access tokens for sessions that have
        /// ended.
        private static let delaySeconds: Int64 = 2

        /// Sessions opened before this moment have ended. It is a full second, because access tokens have times in seconds, and game
        /// servers that verify tokens offline must refuse all of them. A session that a node with knowledge of the kick-out opens
        /// earlier gets this moment as its beginning.
        var end: Moment { Moment(milliseconds: (at.milliseconds / 1_000 + 1 + Self.delaySeconds) * 1_000) }
    }
}

/// A text in several languages, by BCP 47 tag in small letters and with hyphens.
package struct LocalizedText: Sendable, Hashable, Codable {
    package var texts: [String: String]

    package init(_ texts: [String: String] = [:]) {
        // In an order of their own, so that every node keeps the same one of two spellings of a language.
        let named = texts.sorted { $0.key < $1.key }.map { (Self.key($0.key), $0.value) }
        self.texts = Dictionary(named) { _, last in last }
    }

    /// Whether a text has the form of a language tag (BCP 47). What is stored may be one that names no language.
    package static func isLanguage(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy { part in
                (1...8).contains(part.count) && part.allSatisfy { ASCII.isLetterOrDigit($0) }
            }
    }

    /// The name under which a language's text is kept, such as `ko-kr` for `ko_KR`; nil for what is no language.
    package static func language(_ name: String) -> String? { LanguageTag(name)?.name }

    private static func key(_ name: String) -> String { name.lowercasedASCII.substituting("_", by: "-") }

    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([String: String].self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(texts)
    }

    /// The text that serves best in these languages (``LanguageTag/best(of:for:)``); then that of the fallback, then any, so that a player
    /// always gets a text.
    package func text(preferring languages: [String], fallback: String) -> String? {
        guard !texts.isEmpty else { return nil }
        // Most devices name their language as the text does.
        if let first = languages.first, let text = texts[Self.key(first)] { return text }
        let names = Array(texts.keys)
        let found = LanguageTag.best(of: names, for: languages)
        return found.flatMap { texts[$0] } ?? texts[fallback]
            ?? (LanguageTag.best(of: names, for: [fallback]) ?? names.min()).flatMap { texts[$0] }
    }

    /// Whether somebody who reads a language finds a text in it.
    package func isWritten(in language: String) -> Bool {
        texts[language] != nil || LanguageTag.best(of: Array(texts.keys), for: [language]) != nil
    }
}

/// The time zone in which an app's days begin.
package struct AppZone: Sendable, Hashable {
    /// A name of the time zone database, such as `Asia/Seoul`; nil for UTC.
    package let name: String?

    package static let universal = AppZone(name: nil)

    /// Whether a text names a time zone that the system knows.
    package static func exists(_ name: String) -> Bool { Zone(named: name) != nil }

    /// The day of a moment, in days since 1970 of the zone's calendar.
    package func day(of moment: Moment) -> Int64 {
        Moment(milliseconds: moment.milliseconds &+ offsetSeconds(at: moment) &* 1_000).day
    }

    /// When a day begins: its midnight, or one o'clock where clocks that are set forward have no midnight, as in Cairo. The first second
    /// whose day it is, because ``day(of:)`` counts by it, and the offset of that second is not that of UTC's midnight.
    package func begin(ofDay day: Int64) -> Moment {
        let midnight = Moment(day: day)
        // No zone has ever been sixteen hours from UTC.
        var (first, last) = (-57_600 as Int64, 57_600 as Int64)
        while first < last {
            let middle = first + (last - first) / 2
            if self.day(of: midnight.adding(seconds: middle)) < day { first = middle + 1 } else { last = middle }
        }
        return midnight.adding(seconds: first)
    }

    /// The hour that clocks of the zone show, from 0 to 23.
    func hour(of moment: Moment) -> Int {
        let seconds = (moment.milliseconds / 1_000 &+ offsetSeconds(at: moment)) % 86_400
        return Int((seconds + 86_400) % 86_400 / 3_600)
    }

    // MARK: The offset

    /// Offsets change at full quarters of an hour, so each zone's is looked up once in a quarter: every login asks for it.
    private struct Known {
        let quarter: Int64
        let offset: Int64
    }

    private static let known = Mutex<[String: Known]>([:])

    private func offsetSeconds(at moment: Moment) -> Int64 {
        guard let name else { return 0 }
        let quarter = moment.quarterBegin.milliseconds
        if let known = Self.known.withLock({ $0[name] }), known.quarter == quarter { return known.offset }
        let offset = Zone(named: name)?.offsetSeconds(at: quarter / 1_000) ?? 0
        Self.known.withLock { $0[name] = Known(quarter: quarter, offset: offset) }
        return offset
    }
}

extension App {
    /// Where the app's days begin.
    package var zone: AppZone { AppZone(name: policy.timeZone) }
}
