import FakeProviders
import Foundation
import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// A logged-in player on a device.
struct Player: Sendable {
    let device: TestDevice
    var login: Login

    var user: UserID { login.member.userId }
    var access: AccessToken { login.session.accessToken }
}

extension TestServer {
    static func json(_ value: some Encodable) throws -> String {
        // A repeated call must have the same bytes.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// A call of the contract with the access token of a player.
    func call<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, by player: Player, app: AppID = TestServer.app,
        headers: [String: String] = [:]
    ) async throws -> TestAnswer {
        try await send(
            endpoint.verb.method, endpoint.template, app: app, by: player.device, token: player.access.secretValue,
            body: request is Empty ? nil : Self.json(request), headers: headers)
    }

    /// A call with only a device's proof.
    func call<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, by device: TestDevice, app: AppID = TestServer.app,
        headers: [String: String] = [:]
    ) async throws -> TestAnswer {
        try await send(
            endpoint.verb.method, endpoint.template, app: app, by: device, body: Self.json(request), headers: headers)
    }

    /// A call of the game server.
    func call<Request, Response>(
        gameServer endpoint: GameServerEndpoint<Request, Response>, _ request: Request, app: AppID = TestServer.app,
        secret: SecretKey? = nil
    ) async throws -> TestAnswer {
        try await send(
            TestCall(
                method: endpoint.verb.method, path: TestCall.path(endpoint.template, app: app),
                headers: [HeaderNames.secretKey: (secret ?? self.secret).secretValue], body: Self.json(request)))
    }

    func guestPlayer(_ device: TestDevice = TestDevice()) async throws -> Player {
        Player(device: device, login: try await guest(device))
    }

    func credential(_ provider: Provider, _ name: String, accessToken: Bool = false) throws -> Credential {
        Credential(
            provider: provider, idToken: try idps.idToken(provider, for: name),
            accessToken: accessToken ? idps.accessToken(provider, for: name) : nil)
    }

    func logIn(
        _ provider: Provider, _ name: String, on device: TestDevice = TestDevice(), accessToken: Bool = false
    ) async throws -> Player {
        let answer = try await call(
            Endpoints.logIn, try credential(provider, name, accessToken: accessToken), by: device)
        return Player(device: device, login: try answer.decoded(as: Login.self))
    }

    func map(_ provider: Provider, _ name: String, to player: Player) async throws -> TestAnswer {
        try await call(Endpoints.addMapping, try credential(provider, name), by: player)
    }

    /// A successful mapping: returns the player with the new login.
    func mapped(_ provider: Provider, _ name: String, to player: Player) async throws -> Player {
        let answer = try await map(provider, name, to: player)
        let change = try answer.decoded(as: MappingChange.self)
        var player = player
        player.login.member = change.member
        player.login.provider = change.provider
        if let session = change.session { player.login.session.accessToken = session.accessToken }
        return player
    }

    /// The ticket of a conflict.
    func ticket(_ provider: Provider, _ name: String, for player: Player) async throws -> ForcingMappingTicket {
        let answer = try await map(provider, name, to: player)
        #expect(answer.code == 3302)
        return try #require(answer.details?.forcingMappingTicket)
    }

    func history(_ user: UserID) async throws -> [String] {
        try await run(.history(of: user)).map(\.event.rawValue)
    }

    func report(_ user: UserID) async throws -> MemberReport {
        try await run(.memberReport(of: user))
    }

    func count(_ sql: SQL) async throws -> Int {
        try await database.read { tx in try tx.first(sql) { row in try row[0] as Int } ?? -1 }
    }

    func expectInvariants() async throws {
        for violations in MemberInvariants.violations {
            #expect(try await count(violations) == 0, "\(violations)")
        }
    }
}

extension HTTPVerb {
    var method: HTTPRequest.Method { self == .get ? .get : .post }
}

/// Does something many times concurrently.
func together<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
        for number in 0..<count { group.addTask { (number, try await body(number)) } }
        return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
