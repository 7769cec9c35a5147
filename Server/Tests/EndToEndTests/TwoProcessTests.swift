import FakeProviders
import Foundation
import Gatehouse
import GatehouseTesting
import HummingbirdTesting
import Logging
import TestDatabases
import Testing

/// Races over accounts between two server processes on one database.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TwoProcessTests {
    @Test(
        "MAP-10, LNK-2, LNK-4, TRF-4, SES-5: two processes on one database decide every race once",
        arguments: Engine.available)
    func races(engine: Engine) async throws {
        try await withServers(engine) { pair in
            let mapped = try await Self.mapOneIdentity(pair)
            try await Self.redeemOneAccount(pair)
            try await Self.removeBothMappings(pair)
            try await Self.useOneTicket(pair, of: mapped)
            try await Self.banForBoth(pair)
        }
    }

    /// Two servers on one database.
    private struct Pair: Sendable {
        let servers: [ServingCommand]
        let idps: FakeProviders
        /// Runs a command on their database, and returns its exit code.
        let run: @Sendable ([String]) async throws -> Int32

        /// A started device of one server: even numbers are of the first, odd ones of the second.
        func device(_ number: Int, _ storage: MemoryStorage = MemoryStorage()) async throws -> GatehouseClient {
            let url = try URL(string: servers[number % 2].url).unwrapped()
            let device = GatehouseClient(LiveServer.configuration(url, storage))
            try await device.start()
            return device
        }

        func credential(_ provider: Provider, _ name: String) throws -> Credential {
            Credential(provider: provider, idToken: try idps.idToken(provider, for: name))
        }

        /// The error codes of concurrent calls, with nil for each success.
        func codes(_ count: Int, _ call: @escaping @Sendable (Int) async throws -> Void) async -> [Int?] {
            await withTaskGroup(of: Int?.self) { group in
                for number in 0..<count {
                    group.addTask { await failure { try await call(number) }?.code.rawValue }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    /// Twenty guests map the same identity, and one succeeds. Returns the player's name at the provider.
    private static func mapOneIdentity(_ pair: Pair) async throws -> String {
        let name = "alice"
        var guests: [GatehouseClient] = []
        for number in 0..<20 {
            let guest = try await pair.device(number)
            _ = try await guest.logIn(with: .guest)
            guests.append(guest)
        }
        // Both servers know the providers' keys then, which many calls at once would else wait for. On a busy machine a first attempt may
        // end before the provider has answered.
        for (number, provider) in [(0, Provider.google), (1, .google), (0, .apple), (1, .apple)] {
            try await eventually("answer of \(provider)") {
                await failure { _ = try await pair.device(number).logIn(with: pair.credential(provider, "dan")) } == nil
            }
        }
        let players = guests
        let mapped = await pair.codes(20) { number in
            try await players[number].addMapping(pair.credential(.google, name))
        }
        #expect(mapped.count { $0 == nil } == 1)
        #expect(mapped.count { $0 == 3302 } == 19)
        return name
    }

    /// Twenty devices redeem the same transfer account, and one succeeds.
    private static func redeemOneAccount(_ pair: Pair) async throws {
        let issuer = try await pair.device(0)
        let user = try await issuer.logIn(with: .guest).member.userId
        let account = try await issuer.issueTransferAccount()
        let password = try account.password.unwrapped()
        let redeemed = await pair.codes(20) { number in
            _ = try await pair.device(number).redeemTransferAccount(id: account.id, password: password)
        }
        #expect(redeemed.count { $0 == nil } == 1)
        // On a busy machine some wait so long for a password's hash that they are refused.
        #expect(Set(redeemed).isSubset(of: [nil, 3042, 3048, 8001]))
        #expect(await failure { try await issuer.sendHeartbeat() }?.reason == .transferred)
        #expect(try await pair.run(["member", "history", user.rawValue, "--app", "game"]) == 0)
    }

    /// Two devices each remove one of the two mappings, and one succeeds.
    private static func removeBothMappings(_ pair: Pair) async throws {
        let one = try await pair.device(0)
        let other = try await pair.device(1)
        _ = try await one.logIn(with: pair.credential(.google, "bob"))
        _ = try await one.addMapping(pair.credential(.apple, "bob"))
        _ = try await other.logIn(with: pair.credential(.apple, "bob"))
        let removed = await pair.codes(2) { number in
            _ = number == 0 ? try await one.removeMapping(.apple) : try await other.removeMapping(.google)
        }
        #expect(removed.count { $0 == nil } == 1)
    }

    /// One session uses the same ticket on both servers.
    private static func useOneTicket(_ pair: Pair, of name: String) async throws {
        let storage = MemoryStorage()
        let here = try await pair.device(0, storage)
        _ = try await here.logIn(with: .guest)
        // The same device gets a second storage, because with one storage both calls would be recognised as the same one.
        let copy = MemoryStorage()
        for (item, data) in storage.contents { try copy.write(data, to: item) }
        let there = try await pair.device(1, copy)
        _ = try await there.logInWithLastProvider()
        let conflict = try await failure { try await here.addMapping(pair.credential(.google, name)) }.unwrapped()
        let ticket = try conflict.forcingMappingTicket.unwrapped()
        let used = await pair.codes(2) { number in
            _ = try await (number == 0 ? here : there).addMapping(forcing: ticket)
        }
        #expect(used.count { $0 == nil } == 1)
        #expect(used.contains(3312))
    }

    /// A ban by a third process takes effect on both servers at once.
    private static func banForBoth(_ pair: Pair) async throws {
        let banned = try await [pair.device(0), pair.device(1)]
        for player in banned { _ = try await player.logIn(with: pair.credential(.google, "carol")) }
        let carol = try banned[0].userID.unwrapped()
        #expect(
            try await pair.run(["ban", "add", carol.rawValue, "--app", "game", "--permanent", "--reason", "r"]) == 0)
        for player in banned {
            #expect(await failure { try await player.sendHeartbeat() }?.reason == .banned)
        }
    }

    private func withServers(
        _ engine: Engine,
        _ test: @escaping @Sendable (Pair) async throws -> Void
    ) async throws {
        let idps = FakeProviders(
            origin: "http://127.0.0.1:1", key: try FakeSigningKey(), nowSeconds: { Int64(Date().timeIntervalSince1970) }
        )
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let provider = FakeProviderServer(providers: idps, logger: logger).application(port: 0)
        try await withDatabaseURL(engine) { database in
            try await withFolder { folder in
                let data = ["--database", database, "--key-file", "key"]
                let run = { @Sendable (arguments: [String]) in
                    try await Command.run(arguments + data, in: folder).status
                }
                #expect(try await Command.createApp("game", data, in: folder).status == 0)
                #expect(try await run(["app", "transfer", "game", "--on", "--attempts", "99"]) == 0)
                try await provider.test(.live) { _ in
                    for name in [Provider.google, .apple] {
                        let status = try await run([
                            "idp", "set", name.rawValue, "--app", "game", "--client-id", idps.clientID(of: name),
                            "--fake-world", idps.origin,
                        ])
                        #expect(status == 0)
                    }
                    let serve = ["serve", "--allow-local-providers", "true"] + data
                    async let one = ServingCommand.start(serve, in: folder)
                    async let other = ServingCommand.start(serve, in: folder)
                    let servers = try await [one, other]
                    try await test(Pair(servers: servers, idps: idps, run: run))
                    for server in servers { server.command.signal(SIGTERM) }
                    for server in servers { #expect(await server.command.status() == 0) }
                }
            }
        }
    }
}
