import GatehouseJSON
import GatehousePlatform

/// The columns of the table that Gamebase's console downloads. Their names are not published, so the operator says which is which.
struct GamebaseColumns {
    /// What a column may hold.
    enum Field: String, CaseIterable {
        case userID = "userId"
        case registrationDate, lastLoginDate
        /// Gamebase's letter for the member's standing: Y, B, T, P, D or M.
        case valid
        /// The code of the identity provider.
        case provider = "idPCode"
        /// The provider's own id of the player.
        case subject = "idPId"
        /// The id of a guest's device.
        case guestID = "guestId"
    }

    private let columns: [Field: String]

    init(_ columns: [String: String]) throws(ConversionFailure) {
        var named: [Field: String] = [:]
        for (name, column) in columns {
            guard let field = Field(rawValue: name) else {
                let known = Field.allCases.map(\.rawValue).joined(separator: ", ")
                throw ConversionFailure(.badOption, "--columns knows no \(name), but \(known)")
            }
            named[field] = column
        }
        guard named[.userID] != nil else {
            throw ConversionFailure(
                .badOption,
                "--columns must say where a member's id is, such as --columns userId=USER_ID,registrationDate=3")
        }
        guard (named[.provider] == nil) == (named[.subject] == nil) else {
            throw ConversionFailure(.badOption, "--columns has both idPCode and idPId, or none of them")
        }
        self.columns = named
    }

    /// The names of a table's columns as fields, by their places; nil if the table has none of them.
    ///
    /// - Parameter first: the first row of the table.
    func names(in first: [String]) -> [String]? {
        var names = Array(repeating: "", count: first.count)
        for (field, column) in columns {
            let index =
                Int(column).map { max($0, 0) - 1 }
                ?? first.firstIndex { $0.trimmingWhitespace().isExactly(column) }
            guard let index, names.indices.contains(index), names[index].isEmpty else { return nil }
            names[index] = field.rawValue
        }
        return names
    }
}
