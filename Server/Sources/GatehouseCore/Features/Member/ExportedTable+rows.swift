import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension ExportedTable {
    /// The rows about a member, by column.
    func rows(of user: UserID, app: AppID, in tx: Reader) throws -> [[String: JSONValue]] {
        try tx.rows(statement(of: user, app: app)) { row in
            var values: [String: JSONValue] = [:]
            for (index, column) in columns.enumerated() {
                values["\(column)"] = withoutOthers(JSONValue(stored: try row[index]), of: user)
            }
            return values
        }
    }
}

extension JSONValue {
    /// The value of a column. A text that is an object or a list in JSON becomes one.
    fileprivate init(stored value: SQLValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .text(let text):
            let isJSON = text.begins(with: "{") || text.begins(with: "[")
            self = (isJSON ? try? JSONValue(StrictJSON.parse(Array(text.utf8))) : nil) ?? .string(text)
        // No exported column holds bytes.
        case .bytes: self = .null
        }
    }
}
