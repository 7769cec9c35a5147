package import GatehouseWire

/// Reads the caller's own member.
package struct ReadOwnMember: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> Member {
        try await work.livePlayer().member
    }
}
