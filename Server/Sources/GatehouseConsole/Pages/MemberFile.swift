import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    /// The members that were selected in the list, as a file, in the columns and with the texts of the export of one member.
    func memberFile() async throws -> Response {
        guard let users = query["users"] else { return Console.redirect(to: address("members")) }
        let export = try await run(ExportMembers(listedIn: users))
        var file = CSV()
        file.append(export.columns.map(CSV.cell))
        for row in export.rows {
            file.append(zip(export.columns, row).map { CSV.cell(text(of: $1, in: $0)) })
        }
        return Console.file(file, named: "\(try app().id)-members.csv")
    }

    private func text(of value: JSONValue, in column: String) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        case .integer(let number):
            switch ExportedNumber(number, in: column) {
            case .day(let day): String(local.machine(day).prefix(10))
            case .moment(let moment): local.machine(moment)
            case .other: String(number)
            }
        default: (try? JSONText.sorted(value)) ?? ""
        }
    }
}
