import GatehouseWire
import Synchronization

/// The providers, and the receivers of alerts, that the runners of this node are calling. Each is called by one runner at a time, so that
/// the jobs of one that does not answer take one runner, and not all of them.
final class JobPlaces: Sendable {
    struct Place: Hashable {
        let app: AppID
        let name: String
    }

    private let taken = Mutex<Set<Place>>([])

    /// Takes a place; false when another runner has it.
    func take(_ place: Place) -> Bool {
        taken.withLock { $0.insert(place).inserted }
    }

    func leave(_ place: Place) {
        _ = taken.withLock { $0.remove(place) }
    }
}
