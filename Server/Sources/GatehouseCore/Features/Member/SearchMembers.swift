import GatehouseSecurity
package import GatehouseWire

/// Reads the members that ``FindPlayer`` finds, each of them once.
package struct SearchMembers: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let text: String

    package init(text: String) {
        self.text = text
    }

    package func perform(_ work: Work) async throws -> [Member] {
        var members: [Member] = []
        for found in try await FindPlayer(text: text).perform(work)
        where !members.contains(where: { $0.userId == found.user }) {
            members.append(try await ReadMemberReport(user: found.user).perform(work).member)
        }
        return members
    }
}
