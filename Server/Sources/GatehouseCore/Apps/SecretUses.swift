package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire
import Synchronization

/// The last use of each secret key. A call of a game server only notes it in memory; the sweeper writes it, so that it costs no call a
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
        var written: Moment?

        var isDue: Bool { written.map { $0.adding(seconds: SecretUses.writeSeconds) <= last } ?? true }
    }

    private let uses = Mutex<[Key: Use]>([:])

    package func note(_ secret: AppSecret, of app: AppID, at moment: Moment) {
        let key = Key(app: app, hash: secret.hash)
        uses.withLock { uses in
            guard var use = uses[key] else { return uses[key] = Use(last: moment, written: secret.lastUsedAt) }
            use.last = max(use.last, moment)
            uses[key] = use
        }
    }

    /// Writes the uses that have moved far enough since they were written.
    func write(to database: Database) async throws {
        let due = uses.withLock { uses in uses.filter(\.value.isDue).mapValues(\.last) }
        guard !due.isEmpty else { return }
        try await database.decide { tx in
            for (key, moment) in due {
                try SecretQueries.noteUse(hash: key.hash, app: key.app, at: moment, in: tx)
            }
        }
        uses.withLock { uses in
            for (key, moment) in due { uses[key]?.written = moment }
        }
    }
}
