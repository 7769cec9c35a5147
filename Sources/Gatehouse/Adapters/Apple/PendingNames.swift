import Foundation

/// Names from Apple, stored until the server has them. Apple sends a name only once, so a login that fails after the player's page
/// would otherwise lose it.
struct PendingNames: Sendable {
    private static let item = "pending-apple-names"
    /// The number of persons on one device whose names are kept. Beyond it, the oldest name is dropped.
    private static let maximum = 8

    let storage: any SecureStorage

    private struct Entry: Codable {
        let user: String
        let name: String
    }

    func keep(_ name: String, of user: String) throws {
        let others = try entries().filter { $0.user != user }
        try write(others.suffix(Self.maximum - 1) + [Entry(user: user, name: name)])
    }

    func name(of user: String) throws -> String? { try entries().first { $0.user == user }?.name }

    func forget(_ name: String) throws {
        let entries = try entries()
        let left = entries.filter { $0.name != name }
        if left.count != entries.count { try write(left) }
    }

    private func entries() throws -> [Entry] {
        guard let data = try storage.read(Self.item) else { return [] }
        return (try? JSONDecoder().decode([Entry].self, from: data)) ?? []
    }

    private func write(_ entries: [Entry]) throws {
        guard !entries.isEmpty else { return try storage.remove(Self.item) }
        try storage.write(JSONEncoder().encode(entries), to: Self.item)
    }
}
