import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Tables `alert_receivers` and `alert_states`.
enum AlertQueries {
    private static let columns: SQL = """
        app_id, receiver_id, kind, hint, language, verdicts, least, quiet_from, quiet_until, is_on, tried_at, outcome
        """

    /// A receiver of a kind that this version does not know is left out.
    private static func receiver(_ row: Row) throws -> AlertReceiver? {
        guard let kind = AlertReceiver.Kind(rawValue: try row[2]) else { return nil }
        var wish = AlertWish()
        wish.language = try row[4]
        wish.verdicts = kinds(try row[5])
        wish.includesWarnings = try row[6] as String != AppVerdict.State.bad.rawValue
        if let from: Int = try row[7], let until: Int = try row[8] { wish.quiet = QuietHours(from: from, until: until) }
        wish.isOn = try row[9]
        var receiver = AlertReceiver(app: try row[0], id: try row[1], kind: kind, hint: try row[3], wish: wish)
        if let date: Moment = try row[10], let text: String = try row[11], let outcome = AlertOutcome(text) {
            receiver.last = .init(date: date, outcome: outcome)
        }
        return receiver
    }

    private static func kinds(_ words: String) -> Set<AppVerdict.Kind> {
        Set(words.parts(at: " ").compactMap { AppVerdict.Kind(rawValue: String($0)) })
    }

    /// The receivers of an app, oldest first.
    static func receivers(of app: AppID, in tx: Reader) throws -> [AlertReceiver] {
        try tx.rows("SELECT \(columns) FROM alert_receivers WHERE app_id = \(app) ORDER BY receiver_id", receiver)
            .compactMap { $0 }
    }

    static func receiver(_ id: String, of app: AppID, in tx: Reader) throws -> AlertReceiver? {
        try tx.first(
            "SELECT \(columns) FROM alert_receivers WHERE app_id = \(app) AND receiver_id = \(id)", receiver) ?? nil
    }

    /// The apps that have a receiver, each with the verdicts that somebody wants to be told.
    static func wanted(in tx: Reader) throws -> [(app: AppID, kinds: Set<AppVerdict.Kind>)] {
        let rows = try tx.rows("SELECT DISTINCT app_id, verdicts FROM alert_receivers") { row in
            (app: try row[0] as AppID, kinds: kinds(try row[1]))
        }
        return Dictionary(rows.map { ($0.app, $0.kinds) }) { $0.union($1) }
            .sorted { $0.key.rawValue < $1.key.rawValue }.map { (app: $0.key, kinds: $0.value) }
    }

    static func address(of id: String, of app: AppID, in tx: Reader) throws -> [UInt8]? {
        try tx.first("SELECT sealed_address FROM alert_receivers WHERE app_id = \(app) AND receiver_id = \(id)") {
            row in
            try row[0]
        }
    }

    static func insert(
        _ receiver: AlertReceiver, sealed address: [UInt8], at moment: Moment, in tx: Transaction
    ) throws {
        let wish = receiver.wish
        try tx.execute(
            """
            INSERT INTO alert_receivers (
                app_id, receiver_id, kind, sealed_address, hint, language, verdicts, least, quiet_from, quiet_until, is_on,
                created_at)
            VALUES (
                \(receiver.app), \(receiver.id), \(receiver.kind.rawValue), \(address), \(receiver.hint), \(wish.language),
                \(wish.storedVerdicts), \(wish.storedLeast), \(wish.quiet?.from), \(wish.quiet?.until), \(wish.isOn), \(moment))
            """)
    }

    /// - Parameter address: nil if it stays as it is.
    /// - Returns: false if there is no such receiver.
    static func update(_ receiver: AlertReceiver, sealed address: [UInt8]?, in tx: Transaction) throws -> Bool {
        let wish = receiver.wish
        let place: SQL = if let address { ", sealed_address = \(address), hint = \(receiver.hint)" } else { "" }
        return try tx.execute(
            """
            UPDATE alert_receivers SET language = \(wish.language), verdicts = \(wish.storedVerdicts),
                least = \(wish.storedLeast), quiet_from = \(wish.quiet?.from), quiet_until = \(wish.quiet?.until),
                is_on = \(wish.isOn) \(place)
            WHERE app_id = \(receiver.app) AND receiver_id = \(receiver.id)
            """) == 1
    }

    /// Removes a receiver, and what it has been told; false if there is none.
    static func delete(_ id: String, of app: AppID, in tx: Transaction) throws -> Bool {
        try forget(id, of: app, in: tx)
        return try tx.execute("DELETE FROM alert_receivers WHERE app_id = \(app) AND receiver_id = \(id)") == 1
    }

    /// Notes what came of a delivery. The outcome of an earlier one does not replace that of a later one.
    static func note(
        _ outcome: AlertOutcome, of id: String, app: AppID, at moment: Moment, in tx: Transaction
    ) throws {
        try tx.execute(
            """
            UPDATE alert_receivers SET tried_at = \(moment), outcome = \(outcome.text)
            WHERE app_id = \(app) AND receiver_id = \(id) AND (tried_at IS NULL OR tried_at <= \(moment))
            """)
    }

    // MARK: What receivers have been told

    static func forget(_ id: String, of app: AppID, in tx: Transaction) throws {
        try tx.execute("DELETE FROM alert_states WHERE app_id = \(app) AND receiver_id = \(id)")
    }

    static func states(of app: AppID, in tx: Reader) throws -> [AlertState] {
        try tx.rows(
            """
            SELECT receiver_id, verdict, state, begun_at, gone_at FROM alert_states WHERE app_id = \(app)
            ORDER BY receiver_id, verdict
            """
        ) { row in
            AlertState(
                receiver: try row[0], verdict: try row[1], isBad: try row[2] as String == AppVerdict.State.bad.rawValue,
                begunAt: try row[3], goneAt: try row[4])
        }
    }

    /// False if the receiver has been told already, by another node.
    static func begin(_ state: AlertState, of app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            INSERT INTO alert_states (app_id, receiver_id, verdict, state, begun_at)
            VALUES (\(app), \(state.receiver), \(state.verdict), \(state.storedState), \(state.begunAt))
            ON CONFLICT (app_id, receiver_id, verdict) DO NOTHING
            """) == 1
    }

    /// Notes that a verdict has another state, or holds or no longer holds; false if another node has changed it meanwhile.
    static func change(_ old: AlertState, to new: AlertState, of app: AppID, in tx: Transaction) throws -> Bool {
        let gone: SQL = if let date = old.goneAt { "gone_at = \(date)" } else { "gone_at IS NULL" }
        return try tx.execute(
            """
            UPDATE alert_states SET state = \(new.storedState), gone_at = \(new.goneAt)
            WHERE app_id = \(app) AND receiver_id = \(old.receiver) AND verdict = \(old.verdict)
                AND begun_at = \(old.begunAt) AND state = \(old.storedState) AND \(gone)
            """) == 1
    }

    /// False if another node has ended it, or if it holds again.
    static func end(_ state: AlertState, of app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            DELETE FROM alert_states
            WHERE app_id = \(app) AND receiver_id = \(state.receiver) AND verdict = \(state.verdict)
                AND begun_at = \(state.begunAt) AND gone_at IS NOT NULL
            """) == 1
    }
}

extension AlertWish {
    fileprivate var storedVerdicts: String { verdicts.map(\.rawValue).sorted().joined(separator: " ") }
    fileprivate var storedLeast: String { (includesWarnings ? AppVerdict.State.warn : .bad).rawValue }
}

extension AlertState {
    fileprivate var storedState: String { (isBad ? AppVerdict.State.bad : .warn).rawValue }
}

/// A verdict of which a receiver has been told.
struct AlertState: Sendable, Hashable {
    let receiver: String
    /// The verdict's kind, and its provider if it has one.
    let verdict: String
    /// Whether it was told as critical.
    var isBad: Bool
    let begunAt: Moment
    /// Since when it does not hold. It is over if that lasts.
    var goneAt: Moment?

    /// What it is about; nil for a kind of another version.
    var subject: (kind: AppVerdict.Kind, provider: Provider?)? {
        let parts = verdict.parts(at: " ", atMost: 2).map(String.init)
        guard let kind = parts.first.flatMap({ AppVerdict.Kind(rawValue: $0) }) else { return nil }
        return (kind, parts.count > 1 ? Provider(parts[1]) : nil)
    }
}

extension AppVerdict {
    /// The form in which it is stored what was told.
    var stored: String { provider.map { "\(kind.rawValue) \($0.rawValue)" } ?? kind.rawValue }
}
