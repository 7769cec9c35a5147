import Crypto
import Foundation
import GatehouseWire

/// A mapping that was not answered, of a provider whose page would have to be gone through again to ask for it once more.
struct UnansweredMapping: Codable, Sendable, Hashable {
    let user: UserID
    let provider: Provider
}

/// Changing calls that have had no answer, each with its idempotency key (LOGIN-13). A key is kept before its call is sent, so
/// that the same call is the same one for the server too when the game makes it again: after a lost answer, and after a restart.
struct UnansweredCalls: Sendable {
    struct Record: Codable, Sendable, Hashable {
        /// Which call it is: a keyed hash over method, path and body, which may hold a password.
        let call: String
        let key: String
        /// Milliseconds since 1970, by the server's clock.
        let date: Int64
    }

    /// The server forgets a key after an hour; what is older than this is a new call.
    private static let lifetimeMilliseconds: Int64 = 55 * 60_000
    /// A game makes one call after another: more unanswered ones at a time are other calls that were given up.
    private static let maximum = 8

    let store: SessionStore

    /// Names a call for this device.
    func name(method: String, path: String, body: Data?, device: DeviceKey) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: device.rawRepresentation))
        code.update(data: Data("\(method) \(path)\n".utf8))
        if let body { code.update(data: body) }
        return Base64URL.encode(Data(code.finalize()).prefix(18))
    }

    /// The key of a call: the one that it had when it was not answered, or a new one, which is kept from now on. A storage that
    /// can't keep it makes the call no worse than one that is made for the first time.
    func key(of call: String, at now: Int64, make: () -> String) -> String {
        let known = current(at: now)
        if let record = known.first(where: { $0.call == call }) { return record.key }
        let record = Record(call: call, key: make(), date: now)
        try? store.save((known + [record]).suffix(Self.maximum))
        return record.key
    }

    /// The server has done the call: what was not answered before it is done with, since a later change counts.
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
