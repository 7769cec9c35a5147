import Foundation
public import GatehouseWire

/// An app of a server under test, whose players all come from one address.
public struct TestApp: Sendable {
    public static let id = AppID("bench")
    public let secret: String
    /// Where the servers of this app listen.
    public let ports: [Int]

    /// Makes the app in the database of a place.
    public init(executable: String, place: Place, ports: [Int]) throws {
        self.ports = ports
        try run([executable, "migrate"] + Self.settings(of: place))
        let created = try run([executable, "app", "create", Self.id.rawValue] + Self.settings(of: place))
        guard let secret = created.firstMatch(of: #/gsk_[A-Za-z0-9_-]+/#) else {
            throw ServerProcess.Failed(description: "no secret key in what `app create` prints")
        }
        self.secret = String(secret.output)
        try run(
            [
                executable, "app", "limits", Self.id.rawValue, "--new-guests", "0", "--refused-proofs", "0",
                "--changes", "0", "--sessions", "0",
            ]
                + Self.settings(of: place))
    }

    /// Lets the app's players log in with a provider, and move guests as often as they like.
    public func configure(_ provider: IdentityProvider, executable: String, place: Place) throws {
        let settings = Self.settings(of: place)
        try run(
            [
                executable, "idp", "set", IdentityProvider.name.rawValue, "--app", Self.id.rawValue, "--kind", "openid",
                "--issuer",
                provider.issuer, "--keys-url", provider.issuer, "--client-id", IdentityProvider.clientID,
            ] + settings)
        try run(
            [executable, "app", "transfer", Self.id.rawValue, "--on", "--uses", "unlimited", "--attempts", "99"]
                + settings)
    }

    /// The arguments of every command for a place.
    public static func settings(of place: Place) -> [String] {
        ["--database", place.url, "--key-file", "\(place.folder)/key"]
    }

    /// The arguments of a server for a place that is reached as in service, at an address that it knows.
    public func settings(of place: Place) -> [String] { Self.settings(of: place) + ["--public-url", origin(nil)] }

    public func path(_ template: String) -> String { template.replacing("{appId}", with: Self.id.rawValue) }

    /// A logged-in player.
    public struct Player: Sendable {
        public let device: Device
        public let user: UserID
        public let accessToken: String
        public let refreshToken: String

        /// Reads the response to a login.
        public init?(_ device: Device, _ answer: Load.Answer?) {
            guard let answer, answer.status == 200,
                let login = try? JSONDecoder().decode(Login.self, from: Data(answer.body)),
                let refreshToken = login.session.refreshToken
            else { return nil }
            self.device = device
            user = login.member.userId
            accessToken = login.session.accessToken.secretValue
            self.refreshToken = refreshToken.secretValue
        }
    }

    public static func devices(_ count: Int) -> [Device] { inParallel(count) { _ in Device() } }

    private static let guest = #"{"provider":"guest"}"#

    /// A guest login of each device, signed now: a proof is valid for a minute.
    public func logins(_ devices: [Device], port: Int? = nil) -> RequestList {
        let (path, origin) = (path(Endpoints.logIn.template), origin(port))
        return signed(devices.count) { index, now in
            devices[index].request(
                .post, path, origin: origin, body: Self.guest, idempotencyKey: "login-\(now)-\(index)", at: now)
        }
    }

    /// A login of each device, each with a different body.
    public func logins(_ devices: [Device], bodies: [String]) -> RequestList {
        let (path, origin) = (path(Endpoints.logIn.template), origin(nil))
        return signed(devices.count) { index, now in
            devices[index].request(
                .post, path, origin: origin, body: bodies[index], idempotencyKey: "login-\(now)-\(index)", at: now)
        }
    }

    /// A call of each player, each with a different body.
    public func calls<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, of players: [Player], bodies: [String]
    ) -> RequestList {
        let (path, origin) = (path(endpoint.template), origin(nil))
        return signed(players.count) { index, now in
            players[index].device.request(
                endpoint.verb, path, origin: origin, token: players[index].accessToken, body: bodies[index],
                idempotencyKey: "call-\(now)-\(index)", at: now)
        }
    }

    /// A transfer to each device of an account, in turn.
    public func redemptions(_ accounts: [TransferAccount], by devices: [Device]) -> RequestList {
        let (path, origin) = (path(Endpoints.redeemTransferAccount.template), origin(nil))
        return signed(devices.count) { index, now in
            let account = accounts[index % accounts.count]
            let body = #"{"id":"\#(account.id)","password":"\#(account.password?.secretValue ?? "")"}"#
            return devices[index].request(
                .post, path, origin: origin, body: body, idempotencyKey: "redeem-\(now)-\(index)", at: now)
        }
    }

    /// A call of each player, in turn, until there are `count`.
    public func calls<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, of players: [Player], count: Int? = nil, port: Int? = nil
    ) -> RequestList {
        let (path, origin, verb, access) = (path(endpoint.template), origin(port), endpoint.verb, endpoint.access)
        return signed(count ?? players.count) { index, now in
            let player = players[index % players.count]
            let token = access == .refreshToken ? player.refreshToken : player.accessToken
            return player.device.request(verb, path, origin: origin, token: token, at: now)
        }
    }

    /// A game server's token check for each player. Its endpoint is defined in the server's package, which is not built here.
    public func tokenChecks(of players: [Player]) -> RequestList {
        var requests = RequestList()
        for player in players {
            requests.add(
                HTTPRequest(
                    "POST", path("/v1/server/apps/{appId}/tokens/check"), headers: [("X-Secret-Key", secret)],
                    body: #"{"accessToken":"\#(player.accessToken)"}"#
                ).bytes)
        }
        return requests
    }

    /// A token check for each player by Gamebase's Server API.
    public func tokenAuthentications(of players: [Player]) -> RequestList {
        var requests = RequestList()
        for player in players {
            requests.add(
                HTTPRequest(
                    "GET", "/tcgb-gateway/v1.3/apps/\(Self.id)/members/\(player.user)/tokens/\(player.accessToken)",
                    headers: [("X-Secret-Key", secret), ("Content-Type", "application/json; charset=UTF-8")]
                ).bytes)
        }
        return requests
    }

    /// Requests for a hundred members each, from all over the players.
    public func memberLists(of players: [Player]) -> RequestList {
        var requests = RequestList()
        for start in 0..<200 {
            let users = (0..<100).map { "\"\(players[(start * 37 + $0 * 101) % players.count].user)\"" }
            requests.add(
                HTTPRequest(
                    "POST", "/tcgb-member/v1.3/apps/\(Self.id)/members", headers: [("X-Secret-Key", secret)],
                    body: "[\(users.joined(separator: ","))]"
                ).bytes)
        }
        return requests
    }

    /// Logs new devices in, and throws unless all succeed.
    public func loggedIn(_ count: Int, port: Int? = nil) throws -> [Player] {
        let devices = Self.devices(count)
        var players: [Player] = []
        var load = Load(port: port ?? ports[0], connections: 16, seconds: 60)
        load.onOutcome = { index, answer in
            if let player = Player(devices[index], answer) { players.append(player) }
        }
        _ = load.run(logins(devices, port: port))
        guard players.count == count else {
            throw ServerProcess.Failed(description: "only \(players.count) of \(count) logins succeeded")
        }
        return players
    }

    public func origin(_ port: Int?) -> String { "http://127.0.0.1:\(port ?? ports[0])" }

    private func signed(
        _ count: Int, _ make: @escaping @Sendable (_ index: Int, _ now: Int) -> HTTPRequest
    ) -> RequestList {
        var requests = RequestList()
        for bytes in inParallel(count, { make($0, Int(Date().timeIntervalSince1970)).bytes }) { requests.add(bytes) }
        return requests
    }
}
