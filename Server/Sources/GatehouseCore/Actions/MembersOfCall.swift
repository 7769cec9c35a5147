import GatehouseSecurity
import GatehouseWire

/// The bound on members that one call of a game server is about.
package enum MembersOfCall {
    static let maximum = 300

    package static func check<Name>(_ names: [Name]) throws {
        guard names.count <= maximum else {
            throw Refusal(.invalidParameter, "A call names at most \(maximum).", httpStatus: 413)
        }
    }

    /// The distinct names in their original order.
    static func distinct<Name: Hashable>(_ names: [Name]) throws -> [Name] {
        try check(names)
        var seen = Set<Name>(minimumCapacity: names.count)
        return names.filter { seen.insert($0).inserted }
    }
}
