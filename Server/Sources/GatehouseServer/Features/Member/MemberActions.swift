import GatehouseWire

/// Reads the caller's own member.
struct ReadOwnMember: Action {
    static let permission = Permission.play

    func perform(_ work: Work) async throws -> Member {
        try await work.livePlayer().member
    }
}
