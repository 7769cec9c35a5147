import Crypto
import Foundation
import GatehouseWire

/// Changing calls that have had no answer, each with its idempotency key (LOGIN-13). A key is stored before its call is sent, so that
/// the server recognises the same call when the game repeats it, after a lost answer or after a restart.
final class UnansweredCalls: Sendable {
    struct Record: Codable, Sendable, Hashable {
        /// Identifies the call: a keyed hash over method, path and body, because the body may contain a password.
        let call: String
        let key: String
        /// Milliseconds since 1970, by the server's clock.
        let date: Int64
    }

    /// The server forgets a key after an hour, so an older call counts as a new one.
    private static let lifetimeMilliseconds: Int64 = 55 * 60_000
    /// A game makes one call after another, so older unanswered calls beyond this number were given up.
    private static let maximum = 8

    private let store: SessionStore
    /// Counts the calls of each kind that are under way. Calls run concurrently, so the records are changed under this lock.
    private let underWay = Locked<[String: Int]>([:])

    init(store: SessionStore) {
        self.store = store
    }

    /// Names a call for this device.
    func name(method: String, path: String, body: Data?, device: StoredKey) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: device.data))
        code.update(data: Data("\(method) \(path)\n".utf8))
        if let body { code.update(data: body) }
        return Base64URL.encode(Data(code.finalize()).prefix(18))
    }

    /// Begins a call, and returns its key: the earlier key when it was not answered, or a new one, which is stored first. If the storage
    /// can't keep the key, only a repetition of the call by the game is not recognised.
    func begin(_ call: String, at now: Int64, make: () -> String) -> String {
        underWay.withLock { underWay in
            underWay[call, default: 0] += 1
            // Records that can't be read must not be replaced.
            guard let known = try? Self.current(store.unansweredCalls(), at: now) else { return make() }
            if let record = known.first(where: { $0.call == call }) { return record.key }
            let record = Record(call: call, key: make(), date: now)
            try? store.save((known + [record]).suffix(Self.maximum))
            return record.key
        }
    }

    /// A call has ended, with or without an answer.
    func ended(_ call: String) {
        underWay.withLock { underWay in
            let count = underWay[call, default: 1]
            underWay[call] = count > 1 ? count - 1 : nil
        }
    }

    /// The server has completed a call. Unanswered calls from before it are dropped, because the later change supersedes them. Calls that
    /// are still under way, or that began later, keep theirs.
    func done(_ call: String, at now: Int64) {
        change(at: now) { known, underWay in
            let end = known.firstIndex { $0.call == call } ?? known.endIndex
            return known.enumerated().filter { index, record in
                record.call != call && (index > end || underWay[record.call] != nil)
            }.map(\.element)
        }
    }

    /// The server has refused the call.
    func refused(_ call: String, at now: Int64) {
        change(at: now) { known, _ in known.filter { $0.call != call } }
    }

    private func change(at now: Int64, _ change: ([Record], [String: Int]) -> [Record]) {
        underWay.withLock { underWay in
            // A record that can't be removed now is too old in an hour.
            guard let known = try? store.unansweredCalls(), !known.isEmpty else { return }
            try? store.save(change(Self.current(known, at: now), underWay))
        }
    }

    private static func current(_ records: [Record], at now: Int64) -> [Record] {
        records.filter { abs(now - $0.date) < lifetimeMilliseconds }
    }
}
