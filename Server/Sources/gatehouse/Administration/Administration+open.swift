import Foundation
import GatehouseServer
import GatehouseStorage
import Logging

extension Administration {
    /// Opens the database of a command's arguments, works on it and closes it.
    static func open<Value>(
        _ arguments: DatabaseArguments, reachesLocal: Bool = false, _ work: (Administration) async throws -> Value
    ) async throws -> Value {
        let place = try DataPlace(arguments.settings())
        let masterKey = try place.masterKey(random: .live)
        let database = try await place.open()
        let logger = Logger(label: "gatehouse") {
            JSONLogHandler(label: $0, level: .info, now: ServerEnvironment.live.now)
        }
        do {
            let administration = try await Administration(
                database: database, vault: masterKey.vault(of: database, random: .live),
                environment: .live(reachesLocal: reachesLocal), audit: .logging(to: logger),
                operatorName: operatorName)
            let value = try await work(administration)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }

    /// Who works here, as the system knows it.
    static var operatorName: String {
        let environment = ProcessInfo.processInfo.environment
        return environment["SUDO_USER"] ?? environment["USER"] ?? environment["LOGNAME"] ?? "operator"
    }
}
