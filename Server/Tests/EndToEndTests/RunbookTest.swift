import Foundation
import Gatehouse
import GatehouseCore
import GatehouseTesting
import TestDatabases
import Testing

/// An operator's actions in a drill.
struct RunbookTest {
    let data: [String]
    let folder: URL
    var app = "devgame"

    func run(_ arguments: [String], isOnData: Bool = true, status: Int32 = 0) async throws -> Command.Result {
        let result = try await Command.run(arguments + (isOnData ? data : []), in: folder)
        #expect(result.status == status, "\(arguments): \(result.text)")
        return result
    }

    func status(of user: String) async throws -> String? {
        let shown = try await run(["member", "show", user, "--app", app])
        return (shown.text.firstMatch(of: #/status +([A-Z])/#)?.output.1).map { String($0) }
    }

    func guest(_ server: ServingCommand) async throws -> GatehouseClient {
        try await guest(at: #require(URL(string: server.url)))
    }

    /// A logged-in player.
    func guest(at url: URL) async throws -> GatehouseClient {
        let device = try await device(at: url)
        _ = try await device.logIn(with: .guest)
        return device
    }

    /// A game that has started. A server that has just started may not listen yet.
    func device(at url: URL, storage: MemoryStorage = MemoryStorage()) async throws -> GatehouseClient {
        var configuration = GatehouseClient.Configuration(appID: AppID(app), serverURL: url, storage: storage)
        configuration.timeoutSeconds = 60
        let device = GatehouseClient(configuration)
        try await eventually("answer at \(url)") { (try? await device.start()) != nil }
        return device
    }

    /// Withdraws a player by the game's server.
    func delete(_ player: GatehouseClient, with secret: String, at server: ServingCommand) async throws {
        let user = try #require(player.userID)
        let url = try #require(
            URL(string: "\(server.url)/tcgb-gateway/v1.3/apps/\(app)/members/\(user)?regUser=server-1"))
        let answer = try await GatehouseClient.Environment.live().send(
            TransportRequest(
                method: "DELETE", url: url, headers: ["X-Secret-Key": secret], body: nil, timeoutSeconds: 60))
        #expect(String(decoding: answer.body, as: UTF8.self).contains("\"isSuccessful\":true"))
    }

    func write(_ lines: [String], to name: String) throws {
        try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: folder.appendingPathComponent(name))
    }

    func read(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }

    func rights(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)[.posixPermissions]
            as? Int
    }
}
