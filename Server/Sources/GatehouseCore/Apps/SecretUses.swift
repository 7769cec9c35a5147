package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire
import Synchronization

/// The last use of each secret key, and from which network address it came. A call of a game server only notes it in memory; the sweeper writes it, so that it costs no call a
/// write.
package final class SecretUses: Sendable {
    /// The shortest time between two writes of one key.
    static let writeSeconds: Int64 = 300

    private struct Key: Hashable {
        let app: AppID
        let hash: [UInt8]
    }

    private struct Use {
        var last: Moment
        var address: ClientAddress
        var written: Moment?

        var isDue: Bool { written.map { $0.adding(seconds: SecretUses.writeSeconds) <= last } ?? true }
    }

    private let uses = Mutex<[Key: Use]>([:])

    package func note(_ secret: AppSecret, of app: AppID, from address: ClientAddress, at moment: Moment) {
        let key = Key(app: app, hash: secret.hash)
        uses.withLock { uses in
            guard var use = uses[key] else {
                return uses[key] = Use(last: moment, address: address, written: secret.lastUsedAt)
            }
            guard moment >= use.last else { return }
            (use.last, use.address) = (moment, address)
            uses[key] = use
        }
    }

    /// Writes the uses that have moved far enough since they were written.
    func write(to database: Database) async throws {
        let due = uses.withLock { uses in uses.filter(\.value.isDue) }
        guard !due.isEmpty else { return }
        try await database.decide { tx in
            for (key, use) in due {
                try SecretQueries.noteUse(hash: key.hash, app: key.app, from: use.address, at: use.last, in: tx)
            }
        }
        uses.withLock { uses in
            for (key, use) in due { uses[key]?.written = use.last }
        }
    }
}
