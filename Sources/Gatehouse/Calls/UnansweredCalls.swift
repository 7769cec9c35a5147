import Crypto
import Foundation
import GatehouseWire

/// Changing calls that have had no answer, each with its idempotency key (LOGIN-13). A key is stored before its call is sent, so that
/// the server recognises the same call when the game repeats it, after a lost answer or after a restart.
struct UnansweredCalls: Sendable {
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

    let store: SessionStore

    /// Names a call for this device.
    func name(method: String, path: String, body: Data?, device: DeviceKey) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: device.rawRepresentation))
        code.update(data: Data("\(method) \(path)\n".utf8))
        if let body { code.update(data: body) }
        return Base64URL.encode(Data(code.finalize()).prefix(18))
    }

    /// The key of a call: its earlier key when it was not answered, or a new one, which is stored first. If the storage can't keep the
    /// key, only a repetition of the call by the game is not recognised.
    func key(of call: String, at now: Int64, make: () -> String) -> String {
        let known = current(at: now)
        if let record = known.first(where: { $0.call == call }) { return record.key }
        let record = Record(call: call, key: make(), date: now)
        try? store.save((known + [record]).suffix(Self.maximum))
        return record.key
    }

    /// The server has completed a call. Earlier unanswered calls are dropped, because the later change supersedes them.
    func done() { try? store.save([]) }

    /// The server has refused the call.
    func refused(_ call: String, at now: Int64) {
        let known = current(at: now)
        guard known.contains(where: { $0.call == call }) else { return }
        try? store.save(known.filter { $0.call != call })
    }

    private func current(at now: Int64) -> [Record] {
        ((try? store.unansweredCalls()) ?? []).filter { abs(now - $0.date) < Self.lifetimeMilliseconds }
    }
}
