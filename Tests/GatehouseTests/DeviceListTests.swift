import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import Testing

/// The list of a player's devices, and their ends.
@Suite struct DeviceListTests {
    private func signedIn() async throws -> Device {
        let device = try Device { $0.retries = 0 }
        try await device.start()
        _ = try await device.logIn()
        return device
    }

    private func session(_ id: String, isCurrent: Bool) -> DeviceSession {
        var client = ClientInformation()
        client.osCode = "IOS"
        client.deviceModel = "iPhone17,2"
        return DeviceSession(
            sessionId: SessionID(id), provider: .google, client: client, beginDate: 1, lastUsedDate: 2,
            isCurrent: isCurrent)
    }

    @Test("SES-11: the list comes as the server tells it, and takes no idempotency key")
    func list() async throws {
        let device = try await signedIn()
        let list = DeviceSessions(
            sessions: [session("a", isCurrent: false), session("b", isCurrent: true)], isComplete: true)
        device.network.then(list)
        #expect(try await device.gatehouse.fetchSessions() == list)
        let request = try device.network.requests.last.unwrapped()
        #expect(request.method == "GET")
        #expect(request.url.path.hasSuffix("/sessions"))
        #expect(request.headers["Idempotency-Key"] == nil)
        #expect(request.headers["DPoP"] != nil)
        #expect(list.sessions.first?.platformName == "iOS")
    }

    @Test("SES-11: a refusal leaves the player logged in, whatever its reason says of the other session")
    func refusals() async throws {
        let device = try await signedIn()
        let state = device.gatehouse.state
        for reason in [ErrorReason.ownSession, .sessionUnknown] {
            device.network.thenRefuse(.invalidParameter, reason: reason)
            let error = await failure { try await device.gatehouse.endSession(SessionID("a")) }
            #expect(error?.code == .invalidParameter)
            #expect(error?.reason == reason)
        }
        #expect(device.gatehouse.state == state)
    }

    @Test("LOGIN-13, SES-11: an end without an answer is repeated with its key")
    func lostAnswer() async throws {
        let device = try await signedIn()
        var keys: [String?] = []
        for isLost in [true, false, false] {
            if isLost { device.network.thenFail(.timedOut) } else { device.network.then(Empty()) }
            let error = await failure { try await device.gatehouse.endOtherSessions() }
            #expect(error?.code == (isLost ? .socketResponseTimeout : nil))
            keys.append(device.network.requests.last?.headers["Idempotency-Key"])
        }
        #expect(keys[0] == keys[1])
        #expect(keys[1] != keys[2])
    }

    @Test("SES-11: a device that is logged out elsewhere is told why, with the message to its player")
    func told() async throws {
        let device = try await signedIn()
        device.network.thenRefuse(
            .authInvalidGatehouseToken, status: 401, reason: .endedElsewhere, details: ErrorDetails(message: "Bye."))
        #expect(await failure { try await device.gatehouse.fetchSessions() }?.code == .authInvalidGatehouseToken)
        let notice = SessionNotice(reason: .endedElsewhere, message: "Bye.")
        #expect(device.gatehouse.state == .signedOut(.sessionEnded(notice)))
        #expect(await failure { try await device.gatehouse.endOtherSessions() }?.code == .notLoggedIn)
    }

    @Test("A device's system has a name for players, an unknown one its code, and a silent one none")
    func platformNames() {
        var session = session("a", isCurrent: false)
        for (code, name) in [("AOS", "Android"), ("MACOS", "macOS"), ("TOASTER", "TOASTER"), (nil, nil)] {
            session.osCode = code
            #expect(session.platformName == name)
        }
    }
}
