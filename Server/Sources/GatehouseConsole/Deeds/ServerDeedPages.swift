import GatehouseCore
import GatehouseSecurity

// A deed is looked up in its app, or among those that concern no app.
extension Visit {
    func deedState(of target: DeedTarget) async throws -> DeedState {
        guard place == nil else { return try await run(ReadDeedState(target: target)) }
        return try await run(ReadServerDeed(.state(target))).state
    }

    func deedRecord(_ id: String) async throws -> DeedRecord? {
        guard place == nil else { return try await run(ReadDeed(id: id)) }
        return try await run(ReadServerDeed(.record(id))).record
    }

    func sentDeed(_ once: String) async throws -> DeedRecord? {
        guard place == nil else { return try await run(FindDeed(once: once, person: person.id)) }
        return try await run(ReadServerDeed(.sent(once, person.id))).record
    }
}
