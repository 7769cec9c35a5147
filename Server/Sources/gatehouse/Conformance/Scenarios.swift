import GatehousePlatform
import GatehouseWire

// What a client must do in each situation. docs/clients.md says the same for who writes a client.
extension Scenario {
    static let all: [Scenario] =
        start + guest + session + browser + mapping + transfer + withdrawal + operators + clock + answers + storage

    // MARK: The start

    private static let start = [
        Scenario("start-in-service", "starts, and says that the game is in service") { trial in
            let device = try await trial.device(starts: false)
            let line = try await trial.pass("start", on: device)
            try trial.require(line["isPlayable"] == true, "`start` has no `isPlayable` that is true")
        },
        Scenario("start-maintenance", "starts during a maintenance, and a login ends with 3701, once") { trial in
            try await trial.closeGame()
            let device = try await trial.device()
            try await trial.refuse("guest", with: 3701, on: device)
            try trial.require(trial.calls("login").count <= 1, "the login was repeated although the game is closed")
        },
        Scenario("start-offline", "starts once the network is back, without a new process") { trial in
            trial.disturb(nil, times: .max, .loseRequest)
            let device = try await trial.device(starts: false)
            _ = try await device.step("start")
            trial.calm()
            try await trial.pass("start", on: device)
            try await trial.user("guest", on: device)
        },
        Scenario("start-newer-server", "ignores members and providers that it does not know") { trial in
            trial.disturb(
                "launching", .change { $0.merging(["future": ["a": [1, 2]], "another": .null]) { old, _ in old } })
            let device = try await trial.device()
            try await trial.user("guest", on: device)
        },
        Scenario("start-bad-gateway", "survives a proxy's page in place of the launching information") { trial in
            trial.disturb(
                "launching", times: .max,
                .answer(status: 502, headers: ["Content-Type": "text/html"], body: "<h1>Bad</h1>"))
            let device = try await trial.device(starts: false)
            _ = try await device.step("start")
            trial.calm()
            try await trial.pass("start", on: device)
        },
    ]

    // MARK: Guests

    private static let guest = [
        Scenario("guest-new", "logs a guest in") { trial in
            _ = try await trial.player()
            try trial.require(trial.calls("login").count == 1, "the login took \(trial.calls("login").count) calls")
        },
        Scenario("guest-restart", "has the same guest after a restart") { trial in
            let (device, user) = try await trial.player()
            try await trial.restart(device)
            try await trial.pass("guest", as: user, on: device)
        },
        Scenario("guest-logout", "has the same guest after a logout, because the key stays") { trial in
            let (device, user) = try await trial.player()
            try await trial.pass("logout", on: device)
            try await trial.pass("guest", as: user, on: device)
        },
        Scenario("guest-two-devices", "has another guest on another device") { trial in
            let (_, first) = try await trial.player()
            let (_, second) = try await trial.player()
            try trial.require(first != second, "two devices have the same guest, and so the same key")
        },
        Scenario("guest-lost-request", "repeats a login that did not arrive") { trial in
            let device = try await trial.device()
            trial.disturb("login", .loseRequest)
            try await trial.user("guest", on: device)
            try trial.requireOneOutcome(of: "login")
        },
        Scenario("guest-lost-answer", "repeats a login whose answer was lost, and has one guest") { trial in
            try await trial.losing(.loseAnswer, of: "login", in: "guest")
        },
        Scenario("guest-lost-twice", "repeats it a second time") { trial in
            try await trial.losing(.loseAnswer, of: "login", times: 2, in: "guest")
        },
        Scenario("guest-cut-answer", "takes half an answer for a lost one") { trial in
            try await trial.losing(.cutAnswer, of: "login", in: "guest")
        },
        Scenario("guest-killed", "has the guest of a login during which its process was killed") { trial in
            let device = try await trial.device()
            trial.disturb("login", .kill(device.killSwitch))
            _ = try? await device.step("guest")
            let made = trial.calls("login").first?.user
            try await trial.pass("start", on: device)
            let user = try await trial.user("guest", on: device)
            try trial.require(user == made, "the guest of before is lost: store the key before the first call")
        },
        Scenario("guest-newer-server", "ignores members of a login that it does not know") { trial in
            let device = try await trial.device()
            trial.disturb("login", .change { $0.merging(["future": [["x": true]]]) { old, _ in old } })
            try await trial.user("guest", on: device)
        },
    ]

    // MARK: Sessions

    private static let session = [
        Scenario("last-restart", "continues the session after a restart") { trial in
            let (device, user) = try await trial.player("login:google")
            try await trial.restart(device)
            try await trial.pass("last", as: user, on: device)
        },
        Scenario("last-new-device", "has no session to continue on a new device") { trial in
            let device = try await trial.device()
            try await trial.refuse("last", on: device)
        },
        Scenario("last-lost-answer", "keeps the session when the answer is lost") { trial in
            let (device, user) = try await trial.player("login:google")
            try await trial.restart(device)
            trial.disturb("login/last", .loseAnswer)
            _ = try await device.step("last")
            if try await !device.step("me").succeeded { try await trial.pass("last", as: user, on: device) }
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("last-offline", "keeps the session when there is no network") { trial in
            let (device, user) = try await trial.player("login:google")
            try await trial.restart(device)
            trial.disturb(nil, times: .max, .loseRequest)
            _ = try await device.step("last")
            trial.calm()
            try await trial.restart(device)
            try await trial.pass("last", as: user, on: device)
        },
        Scenario("last-server-error", "keeps the session when the server fails") { trial in
            let (device, user) = try await trial.player("login:google")
            try await trial.restart(device)
            trial.disturb("login/last", times: .max, .answer(status: 500, headers: [:], body: "{}"))
            try await trial.refuse("last", on: device)
            trial.calm()
            try await trial.restart(device)
            try await trial.pass("last", as: user, on: device)
        },
        Scenario("logout", "has no session after a logout") { trial in
            let (device, _) = try await trial.player("login:google")
            try await trial.pass("logout", on: device)
            try await trial.refuse("me", on: device)
            try await trial.refuse("last", on: device)
            try await trial.restart(device)
            try await trial.refuse("last", on: device)
        },
        Scenario("logout-offline", "logs out without a network, or says that it did not") { trial in
            let (device, user) = try await trial.player("login:google")
            trial.disturb(nil, times: .max, .loseRequest)
            let isOut = try await device.step("logout").succeeded
            trial.calm()
            try await trial.restart(device)
            if isOut {
                try await trial.refuse("last", on: device)
            } else {
                try await trial.pass("last", as: user, on: device)
            }
        },
        Scenario("token-for-server", "gives its player's token to the game's server") { trial in
            let (device, user) = try await trial.player()
            try await trial.requireToken(of: user, on: device)
        },
        Scenario("token-expired", "renews an access token that has expired") { trial in
            let (device, user) = try await trial.player()
            try await trial.advance(seconds: 7_200)
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("token-ending", "gives no token to the game's server that ends at once") { trial in
            let (device, user) = try await trial.player()
            try await trial.advance(seconds: 3_570)
            // With this call the client learns the server's time.
            try await trial.pass("me", as: user, on: device)
            let token = try await trial.requireToken(of: user, on: device)
            try await trial.advance(seconds: 40)
            try trial.require(try await trial.user(ofToken: token) == user, "the token had less than 40 seconds left")
        },
        Scenario("refresh-lost-answer", "keeps the session when the answer to a renewal is lost") { trial in
            let (device, user) = try await trial.player()
            try await trial.advance(seconds: 7_200)
            trial.disturb("session/refresh", .loseAnswer)
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("refresh-unavailable", "keeps the session when a renewal is refused for a moment") { trial in
            let (device, user) = try await trial.player()
            try await trial.advance(seconds: 7_200)
            trial.disturb("session/refresh", .overloaded(forSeconds: 1))
            _ = try await device.step("me")
            try await trial.pause(seconds: 2)
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("refresh-server-error", "keeps the session when a renewal fails") { trial in
            let (device, user) = try await trial.player()
            try await trial.advance(seconds: 7_200)
            trial.disturb("session/refresh", times: .max, .answer(status: 500, headers: [:], body: ""))
            try await trial.refuse("me", on: device)
            trial.calm()
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("session-idle", "lets a session go that was unused for 100 days, and keeps the guest") { trial in
            let (device, user) = try await trial.player()
            await device.end()
            try await trial.advance(seconds: 100 * 86_400)
            try await trial.pass("start", on: device)
            try await trial.refuse("last", on: device)
            try await trial.pass("guest", as: user, on: device)
        },
    ]

    // MARK: Logins in a browser

    private static let browser =
        ["google", "appleid", "line", "naver"].map { provider in
            Scenario("browser-\(provider)", "logs in with \(provider), as the same player on a second device") {
                trial in
                let (_, user) = try await trial.player("login:\(provider)")
                let second = try await trial.device()
                try await trial.pass("login:\(provider)", as: user, on: second)
            }
        } + [
            Scenario("browser-cancelled", "ends a login that the player declines, and can begin another") { trial in
                let device = try await trial.device()
                device.browsing = .cancel
                try await trial.refuse("login:google", on: device)
                device.browsing = .login
                try await trial.user("login:google", on: device)
            },
            Scenario("browser-forged-code", "is not logged in by a code that the server has not issued") { trial in
                let device = try await trial.device()
                device.browsing = .forgedCode
                try await trial.refuse("login:google", on: device)
                try await trial.refuse("me", on: device)
                device.browsing = .login
                try await trial.user("login:google", on: device)
            },
            Scenario("browser-lost-answer", "repeats a login by code whose answer was lost") { trial in
                try await trial.losing(.loseAnswer, of: "login", in: "login:google")
            },
            Scenario("browser-lost-begin", "repeats the call that begins a login") { trial in
                let device = try await trial.device()
                trial.disturb("login/browser", .loseAnswer)
                try await trial.user("login:google", on: device)
            },
            Scenario("browser-after-logout", "asks the provider for the password after a logout") { trial in
                let (device, _) = try await trial.player("login:google")
                try await trial.pass("logout", on: device)
                try await trial.user("login:google", on: device)
                let asks = trial.calls("login/browser").map { call in
                    (try? JSONDecoder().decode(LoginAttemptRequest.self, from: Data(call.body)))?.reauthenticates
                        ?? false
                }
                try trial.require(
                    asks == [false, true],
                    "the second `login/browser` must have `reauthenticates`, and the first must not")
            },
        ]
}
