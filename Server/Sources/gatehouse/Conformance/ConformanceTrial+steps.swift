import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension ConformanceRelay.Disturbance {
    /// The server has too much to do for a while.
    static func overloaded(forSeconds seconds: Int64) -> Self {
        var refusal = Refusal.overloaded
        refusal.details.retryAfterSeconds = seconds
        return .refusal(refusal)
    }

    /// The server's own answer to a refused call.
    static func refusal(_ refusal: Refusal) -> Self {
        var headers = ["Content-Type": "application/json"]
        if let seconds = refusal.retryAfterSeconds { headers["Retry-After"] = String(seconds) }
        let error = WireError(
            code: refusal.code, message: refusal.message, transactionId: TransactionID("conformance"),
            details: refusal.details)
        let body = (try? JSONEncoder().encode(ErrorEnvelope(error: error))) ?? Data()
        return .answer(status: refusal.status, headers: headers, body: String(decoding: body, as: UTF8.self))
    }
}

extension ConformanceRelay.Call {
    /// The user of a login's answer.
    var user: String? {
        answer?.objectValue?["member"]?.objectValue?["userId"]?.stringValue
    }
}

// What several scenarios do.
extension Trial {
    /// A login whose answers are lost gives the player of the first one.
    func losing(
        _ disturbance: ConformanceRelay.Disturbance, of name: String, times: Int = 1, in step: String
    ) async throws {
        let device = try await device()
        disturb(name, times: times, disturbance)
        let user = try await user(step, on: device)
        try requireOneOutcome(of: name)
        try require(calls(name).allSatisfy { $0.user == user }, "each attempt has made a player")
    }

    /// A device whose mapping is refused, its user, and the device of the identity's owner.
    func conflict() async throws -> (ConformanceDevice, user: String, owner: ConformanceDevice) {
        let (owner, _) = try await player("login:google", named: "bob")
        let (device, user) = try await player("guest", named: "bob")
        try await refuse("map:google", with: 3302, on: device)
        return (device, user, owner)
    }

    /// A guest with a transfer account, and the step that moves it.
    func transferAccount() async throws -> (ConformanceDevice, user: String, redeem: String) {
        let (device, user) = try await player()
        let line = try await pass("issue", on: device)
        guard let id = line["id"]?.stringValue, let password = line["password"]?.stringValue else {
            throw Verdict("`issue` has no `id` and `password` in its line")
        }
        return (device, user, "redeem:\(id):\(password)")
    }

    /// The access token of a step, after the game's server has accepted it.
    @discardableResult
    func requireToken(of user: String, on device: ConformanceDevice) async throws -> String {
        let line = try await pass("token:show", on: device)
        guard let token = line["accessToken"]?.stringValue else {
            throw Verdict("`token:show` has no `accessToken` in its line")
        }
        try require(try await self.user(ofToken: token) == user, "the game's server does not accept the token")
        return token
    }

    /// A refused login is repeated no sooner than the server says, and succeeds then.
    func waiting(_ disturbance: ConformanceRelay.Disturbance, seconds: Int) async throws {
        let device = try await device()
        disturb("login", disturbance)
        if try await !device.step("guest").succeeded {
            try require(calls("login").count == 1, "the login was repeated, and failed before its time")
            try await pause(seconds: seconds)
            try await user("guest", on: device)
        }
        let moments = calls("login").map(\.sentAt)
        try require(moments.count == 2, "the login was sent \(moments.count) times")
        try require(
            moments[1] - moments[0] >= UInt64(seconds) * 1_000_000_000,
            "the login was repeated before \(seconds) seconds had passed")
    }

    /// An answer to a login that is none of the server's leaves the client able to log in.
    func surviving(_ disturbance: ConformanceRelay.Disturbance) async throws {
        let device = try await device()
        disturb("login", disturbance)
        if try await device.step("guest").succeeded {
            try require(calls("login").count > 1, "a login succeeded that the server has not answered")
        } else {
            try await user("guest", on: device)
        }
    }
}
