import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire
import Synchronization

/// Refused calls on their way to the database. A call only adds to a buffer; about every second the buffer is written in one batch. What
/// a crash loses is lost, and what comes faster than it can be written is dropped, because nobody may slow logins down with errors.
package final class RefusalLog: Sendable {
    /// Upper bound on the waiting refusals.
    static let capacity = 2_000
    /// Upper bound on the waiting refusals while another one says only that the server has too much to do.
    static let capacityForOverload = 200
    private static let rowsPerTransaction = 250

    /// The number of refusals of strangers that are kept until the next write; after it, one of ``strangersForOne`` is kept. A stranger is
    /// a caller whose member the call has not shown. Otherwise one address could fill an app's log, and have the database write all the time.
    static let strangersAtOnce = 100
    static let strangersForOne = 20

    private struct Waiting: Sendable {
        let refusal: Refusal
        let caller: RefusedCaller
        let app: AppID
        let transactionID: TransactionID
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The strangers of each app since the last write.
        var strangers: [AppID: Int] = [:]
        /// The number of rows that this process has written since the app's rows were last counted.
        var written: [AppID: Int] = [:]

        /// Whether a stranger's refusal is one of those that are kept.
        mutating func takesStranger(of app: AppID) -> Bool {
            let count = strangers[app, default: 0]
            strangers[app] = count + 1
            return count < strangersAtOnce || count % strangersForOne == 0
        }

        /// Takes everything, in batches of one app each: a transaction writes for one app only.
        mutating func takeAll() -> [(app: AppID, rows: ArraySlice<Waiting>)] {
            var apps: [AppID] = []
            var groups: [AppID: [Waiting]] = [:]
            for one in waiting {
                if groups[one.app] == nil { apps.append(one.app) }
                groups[one.app, default: []].append(one)
            }
            waiting = []
            strangers = [:]
            return apps.flatMap { app in
                let rows = groups[app] ?? []
                return stride(from: 0, to: rows.count, by: rowsPerTransaction).map { begin in
                    (app, rows[begin..<min(begin + rowsPerTransaction, rows.count)])
                }
            }
        }
    }

    private let state = Mutex(State())

    init() {}

    package func keep(_ refusal: Refusal, of caller: RefusedCaller, app: AppID, transactionID: TransactionID) {
        guard refusal.status != 499, !Self.isRoutine(refusal) else { return }
        let capacity = [429, 503].contains(refusal.status) ? Self.capacityForOverload : Self.capacity
        state.withLock { state in
            guard state.waiting.count < capacity, !caller.isStranger || state.takesStranger(of: app) else { return }
            state.waiting.append(
                Waiting(refusal: refusal, caller: caller, app: app, transactionID: transactionID))
        }
    }

    /// Whether every game gets this refusal now and then, and goes on without its player.
    private static func isRoutine(_ refusal: Refusal) -> Bool { refusal.reason == .tokenExpired }

    /// Writes what waits. After a failure it waits for the next time, as far as there is room.
    ///
    /// - Returns: the number of written rows.
    @discardableResult
    package func write(with services: Services) async throws -> Int {
        var count = 0
        let batches = state.withLock { $0.takeAll() }
        for (index, batch) in batches.enumerated() {
            do {
                try await services.database.transact { [random = services.random] tx in
                    try Self.insert(batch.rows, app: batch.app, random, in: tx)
                }
            } catch {
                let rest = batches[(Self.mayPass(error) ? index : index + 1)...].flatMap(\.rows)
                state.withLock { state in
                    let room = max(0, Self.capacity - state.waiting.count)
                    state.waiting.insert(contentsOf: rest.prefix(room), at: 0)
                }
                throw error
            }
            count += batch.rows.count
            state.withLock { $0.written[batch.app, default: 0] += batch.rows.count }
        }
        return count
    }

    private static func insert(
        _ batch: ArraySlice<Waiting>, app: AppID, _ random: RandomSource, in tx: Transaction
    ) throws {
        let users = try batch.map { try RefusalRules.user(of: $0.refusal, $0.caller, app: app, in: tx) }
        // Somebody who has withdrawn meanwhile leaves nothing behind that leads to the device.
        let gone = try RefusalRules.withdrawn(of: Set(users.compactMap { $0 }), app: app, in: tx)
        for (waiting, user) in zip(batch, users) {
            let row = row(waiting, of: user, isGone: user.map(gone.contains) ?? false, random)
            try RefusalQueries.insert(row, in: tx)
        }
    }

    /// Whether the same batch can be written later. Any other batch is dropped, because it would block the ones after it.
    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case StorageError.unavailable, StorageError.overloaded, StorageError.conflict: true
        default: false
        }
    }

    private static func row(
        _ waiting: Waiting, of user: UserID?, isGone: Bool, _ random: RandomSource
    ) -> RefusedCall {
        let (refusal, caller) = (waiting.refusal, waiting.caller)
        return RefusedCall(
            id: TimeOrderedID.entry(at: caller.moment, random: random), app: waiting.app,
            transactionID: waiting.transactionID.rawValue, code: refusal.code, reason: refusal.reason,
            call: caller.call, provider: caller.provider,
            key: isGone ? nil : caller.key, user: isGone ? nil : user, client: isGone ? nil : caller.client,
            date: caller.moment)
    }

    /// Returns the apps with at least this number of newly written rows, and resets their counters.
    func takeGrown(by rows: Int) -> [AppID] {
        state.withLock { state in
            let apps = state.written.filter { $0.value >= rows }.map(\.key)
            for app in apps { state.written[app] = 0 }
            return apps
        }
    }
}

/// A call of a player that was refused. It is kept for a few days, so that an operator can explain the error that a player reports. The
/// caller's address is not a part of it.
package struct RefusedCall: Sendable, Hashable {
    /// Ids sort in chronological order.
    package let id: String
    package let app: AppID
    /// The id that the player's error shows.
    package let transactionID: String
    package let code: ErrorCode
    package let reason: ErrorReason?
    /// The endpoint, such as `/v1/apps/{appId}/login`.
    package let call: String
    package let provider: Provider?
    package let key: KeyThumbprint?
    package let user: UserID?
    /// The header with the device information, as the device has sent it.
    package let client: String?
    package let date: Moment

    /// Whether the identity belongs to another member.
    var isConflict: Bool { code == .authAddMappingAlreadyMappedToOtherMember }
}

/// What a door knows of a call that was refused.
package struct RefusedCaller: Sendable {
    let call: String
    let provider: Provider?
    let client: String?
    let key: KeyThumbprint?
    let user: UserID?
    /// The session of the caller's refresh token, whose secret may be wrong.
    let session: SessionID?
    package let moment: Moment

    /// Whether the call has shown no member. A refresh token shows none before it has been verified: anybody can make one up.
    var isStranger: Bool { user == nil }

    /// - Parameter actor: nil for a call that was refused before its caller was known.
    package init(call: String, provider: Provider?, client: String?, actor: Actor?, at moment: Moment) {
        self.call = call
        self.provider = provider.flatMap { provider in
            let name = provider.rawValue.utf8
            return name.count <= 64 && !name.contains(0) ? provider : nil
        }
        self.client = client.flatMap { $0.utf8.count <= ClientInformation.maximumLength ? $0 : nil }
        self.moment = moment
        key = actor?.key
        switch actor?.principal {
        case .player(let claims): (user, session) = (claims.user, nil)
        case .tokenHolder(let token, _):
            (user, session) = (nil, SplitToken(token.secretValue).map { SessionID($0.id) })
        default: (user, session) = (nil, nil)
        }
    }
}

/// Which refused calls are kept, for how long, and whose they were.
enum RefusalRules {
    static let keptSeconds: Int64 = 7 * 86_400
    /// Upper bound on the rows of an app. More than it may be kept by ``slack`` rows for each node.
    static let maximumRows = 200_000
    /// Upper bound on the rows of an app without a member.
    static let maximumStrangers = 50_000
    static let slack = 2_000

    /// The member that has called, as far as that is certain or proven by the device's key.
    static func user(of refusal: Refusal, _ caller: RefusedCaller, app: AppID, in tx: Reader) throws -> UserID? {
        if let user = caller.user { return user }
        if let ban = refusal.details.ban { return ban.userId }
        guard let key = caller.key else { return nil }
        if let session = caller.session {
            guard let found = try SessionQueries.session(session, app: app, in: tx)?.session, found.key == key else {
                return nil
            }
            return found.user
        }
        guard caller.provider == .guest else { return nil }
        return try MemberQueries.owner(of: .guest(key), app: app, in: tx)
    }

    /// The refused calls of a page of the member's entries, newest first.
    ///
    /// - Parameter areConflicts: only those because the identity belongs to another member, or only the others; nil for both.
    static func calls(
        of user: UserID, app: AppID, in ids: Range<String>, areConflicts: Bool?, limit: Int, in tx: Reader
    ) throws -> [RefusedCall] {
        try RefusalQueries.calls(of: user, app: app, in: ids, areConflicts: areConflicts, limit: limit, in: tx)
    }

    /// Which of these members leave nothing behind that leads to their devices, because they have withdrawn. The others can't withdraw
    /// before this transaction ends.
    static func withdrawn(of users: Set<UserID>, app: AppID, in tx: Transaction) throws -> Set<UserID> {
        // The order is fixed, so that two transactions with the same members don't deadlock.
        Set(
            try users.sorted { $0.rawValue < $1.rawValue }.filter {
                try !MemberQueries.lockUnlessWithdrawn($0, app: app, in: tx)
            })
    }

    /// The last row of an app that is one too many; nil if there are none. Calls without a member, which anybody can make, are bounded by
    /// themselves, so that they don't push out those of members.
    static func firstSurplus(of app: AppID, areStrangers: Bool, in tx: Reader) throws -> String? {
        try RefusalQueries.id(
            after: areStrangers ? maximumStrangers : maximumRows, of: app, areStrangers: areStrangers, in: tx)
    }

    /// Deletes what leads to a member: its calls, and those of its devices that nobody was known to have made.
    static func deleteAll(of account: Account, in tx: Draft) throws {
        try RefusalQueries.deleteAll(of: account.user, app: account.app, in: tx)
        try RefusalQueries.deleteAll(ofDevicesOf: account.user, app: account.app, in: tx)
    }
}
