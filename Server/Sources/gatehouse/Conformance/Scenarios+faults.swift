import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

// Clocks, answers of every kind, and storage.
extension Scenario {
    // MARK: Clocks

    static let clock = [
        Scenario("clock-behind", "logs in although its clock is a day behind the server's") { trial in
            try await trial.advance(seconds: 86_400)
            let (device, user) = try await trial.player()
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("clock-ahead", "goes on when the server's clock is set back by a day") { trial in
            try await trial.advance(seconds: 86_400)
            let (device, user) = try await trial.player("login:google")
            try await trial.resetClock()
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("clock-jump", "goes on when its clock is wrong in the middle of a session") { trial in
            let (device, user) = try await trial.player()
            try await trial.advance(seconds: 1_800)
            try await trial.pass("me", as: user, on: device)
            try await trial.pass("map:google", as: user, on: device)
        },
    ]

    // MARK: Answers of every kind

    static let answers = [
        Scenario("too-many-requests", "waits as long as 429 says, or leaves it to the game") { trial in
            try await trial.waiting(.refusal(.tooManyRequests(retryAfterSeconds: 2)), seconds: 2)
        },
        Scenario("unavailable", "waits as long as 503 says, or leaves it to the game") { trial in
            try await trial.waiting(.overloaded(forSeconds: 2), seconds: 2)
        },
        Scenario("unavailable-for-long", "reports 503 for an hour at once") { trial in
            let device = try await trial.device()
            trial.disturb("login", times: .max, .overloaded(forSeconds: 3_600))
            try await trial.refuse("guest", on: device)
            try trial.require(trial.calls("login").count == 1, "the login was repeated within the hour")
            trial.calm()
            try await trial.user("guest", on: device)
        },
        Scenario("bad-gateway", "survives a proxy's page, and its next login succeeds") { trial in
            try await trial.surviving(
                .answer(status: 502, headers: ["Content-Type": "text/html"], body: "<h1>Bad gateway</h1>"))
        },
        Scenario("captive-portal", "does not take a page with status 200 for a login") { trial in
            try await trial.surviving(
                .answer(status: 200, headers: ["Content-Type": "text/html"], body: "<h1>Welcome</h1>"))
        },
        Scenario("unknown-code", "reports an error whose code it does not know") { trial in
            let refusal = Refusal(ErrorCode(rawValue: 98_765), "A new error.", httpStatus: 400)
            try await trial.surviving(.refusal(refusal))
        },
        Scenario("redirect", "does not follow a redirect with its proof or token") { trial in
            let (device, user) = try await trial.player()
            let path = Endpoints.member.path(app: trial.app)
            trial.disturb(
                "member", times: 1, .answer(status: 307, headers: ["Location": "\(path)?redirected=1"], body: ""))
            _ = try await device.step("me")
            try trial.require(
                !trial.calls("member").contains { $0.target.contains("redirected") }, "the redirect was followed")
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("proof-replayed", "signs again when the server has seen a proof before") { trial in
            let (device, user) = try await trial.player()
            trial.disturb("member", .refusal(Refusal(.authInvalidGatehouseToken, reason: .proofReplayed)))
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("older-server", "reports a call that the server does not have, and goes on") { trial in
            let (device, user) = try await trial.player()
            let missing = Refusal(.notSupported, "There is no such path.", httpStatus: 404)
            trial.disturb("heartbeat", times: .max, .refusal(missing))
            try await trial.refuse("heartbeat", on: device)
            try await trial.pass("me", as: user, on: device)
        },
    ]

    // MARK: What a device keeps

    static let storage = [
        Scenario("storage-private", "keeps its key where other users of the machine can't read it") { trial in
            let (device, _) = try await trial.player()
            let attributes = try? FileManager.default.attributesOfItem(atPath: device.storage)
            guard let mode = attributes?[.posixPermissions] as? Int else { return }
            try trial.require(mode & 0o077 == 0, "others can read \(device.storage)")
        },
        Scenario("storage-unreadable", "makes no new guest while its storage can't be read") { trial in
            let (device, user) = try await trial.player()
            await device.end()
            // A client that keeps nothing there can't be tried.
            guard let hide = try Hiding(device.storage) else { return }
            _ = try await device.step("start")
            try await trial.refuse("last", on: device)
            try await trial.refuse("guest", on: device)
            await device.end()
            try hide.undo()
            try await trial.pass("start", on: device)
            try await trial.pass("guest", as: user, on: device)
        },
    ]
}

/// What a device keeps, with something unreadable in its place. Permissions don't stop the system's administrator.
private struct Hiding {
    private let path: String

    init?(_ path: String) throws {
        self.path = path
        guard let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType else {
            return nil
        }
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).hidden")
        if type == .typeDirectory {
            try Data().write(to: URL(filePath: path))
        } else {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    func undo() throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: "\(path).hidden", toPath: path)
    }
}
