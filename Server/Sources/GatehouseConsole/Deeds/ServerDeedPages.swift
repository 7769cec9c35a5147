import GatehouseCore
import GatehouseSecurity

// The pages of a deed ask the same questions whether it concerns an app or the whole server.
extension Visit {
    func run(_ action: ReadDeedState) async throws -> DeedState {
        guard place == nil else { return try await run(action, deed: nil) }
        return try await run(ReadServerDeed(.state(action.target))).state
    }

    func run(_ action: ReadDeed) async throws -> DeedRecord? {
        guard place == nil else { return try await run(action, deed: nil) }
        return try await run(ReadServerDeed(.record(action.id))).record
    }

    func run(_ action: FindDeed) async throws -> DeedRecord? {
        guard place == nil else { return try await run(action, deed: nil) }
        return try await run(ReadServerDeed(.sent(action.once, action.person))).record
    }

    func run(_ action: ListDeeds) async throws -> [DeedRecord] {
        guard place == nil else { return try await run(action, deed: nil) }
        return try await run(ListServerDeeds(target: action.target, before: action.before, limit: action.limit))
    }

    func run(_ action: ListReasons) async throws -> [String] {
        guard place == nil else { return try await run(action, deed: nil) }
        return try await run(ReadServerDeed(.reasons(action.person))).reasons
    }
}
