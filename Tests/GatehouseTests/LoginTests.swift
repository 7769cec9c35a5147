import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import Testing

@Suite struct LoginTests {
    @Test("START-1: any call before the start ends with 1, and one that needs a login with 2")
    func order() async throws {
        let device = try Device()
        let gatehouse = device.gatehouse
        #expect(await failure { try await gatehouse.logIn(with: .guest) }?.code == .notInitialized)
        #expect(await failure { try await gatehouse.logInWithLastProvider() }?.code == .notInitialized)
        #expect(await failure { try await gatehouse.logOut() }?.code == .notInitialized)
        #expect(await failure { try await gatehouse.fetchMember() }?.code == .notInitialized)
        #expect(device.network.requests.isEmpty)
        try await device.start()
        #expect(await failure { try await gatehouse.logOut() }?.code == .notLoggedIn)
        #expect(await failure { try await gatehouse.fetchMember() }?.code == .notLoggedIn)
        #expect(await failure { try await gatehouse.sendHeartbeat() }?.code == .notLoggedIn)
        #expect(await failure { try await gatehouse.validAccessToken() }?.code == .notLoggedIn)
        #expect(device.network.requests.count == 1)
    }

    @Test("START-2: a start that can't reach the server ends with 110 or 101 and may be called again")
    func startAgain() async throws {
        let device = try Device { $0.retries = 0 }
        device.network.thenFail(.unreachable("refused"))
        #expect(await failure { try await device.gatehouse.start() }?.code == .socketError)
        device.network.thenFail(.timedOut)
        #expect(await failure { try await device.gatehouse.start() }?.code == .socketResponseTimeout)
        #expect(await failure { try await device.gatehouse.logIn(with: .guest) }?.code == .notInitialized)
        try await device.start()
        #expect(device.gatehouse.state == .signedOut(.noSession))
    }

    @Test("LOGIN-1, LOGIN-5, INFO-1: a guest is in, and the device keeps what brings the player back")
    func guest() async throws {
        let device = try Device()
        try await device.start()
        let login = try await device.logIn()
        #expect(device.gatehouse.state == .signedIn(login.member))
        #expect(device.gatehouse.userID == login.member.userId)
        #expect(device.gatehouse.accessToken == login.session.accessToken)
        #expect(device.gatehouse.currentProvider == .guest)
        #expect(device.gatehouse.lastProvider == .guest)
        #expect(device.gatehouse.mappings == [.guest])
        #expect(device.gatehouse.standing == login.standing)
        #expect(Set(device.storage.contents.keys) == ["device-key", "session"])

        let next = try Device(storage: device.storage)
        try await next.start()
        #expect(next.gatehouse.state == .restoring)
        #expect(next.gatehouse.lastProvider == .guest)
        #expect(next.gatehouse.userID == nil)
        next.network.script(.login())
        let again = try await next.gatehouse.logInWithLastProvider()
        #expect(again.member.userId == login.member.userId)
        let sent = try next.network.requests.last.unwrapped()
        #expect(sent.url.path == "/v1/apps/game/login/last")
        #expect(sent.headers["Authorization"] == "DPoP refresh-canary")
        // The refresh token stays, although the response does not repeat it.
        next.network.then(Empty())
        try await next.gatehouse.logOut()
        #expect(next.network.requests.last?.headers["Authorization"] == "DPoP refresh-canary")
    }

    @Test("LOGIN-5: a login replaces what the device stores in one step, and stores nothing of the provider's")
    func replaces() async throws {
        let device = try Device()
        try await device.start()
        _ = try await device.logIn()
        let former = device.storage.contents
        let given = Credential(provider: .google, idToken: "idp-canary", accessToken: "idp-canary")
        // A login that can't be stored fails: the device keeps the complete former login.
        device.network.script(.login("2M8S4CTH3C9FX6Z1", refreshToken: "second", accessToken: "access-2"))
        device.storage.isUnwritable = true
        let gatehouse = device.gatehouse
        #expect(await failure { try await gatehouse.logIn(with: given, replacing: true) }?.code == .authIDPLoginFailed)
        #expect(device.storage.contents == former)
        device.storage.isUnwritable = false

        device.network.script(.login("2M8S4CTH3C9FX6Z1", refreshToken: "third", accessToken: "access-3"))
        _ = try await device.gatehouse.logIn(with: given, replacing: true)
        #expect(device.storage.contents["device-key"] == former["device-key"])
        let session = String(decoding: try #require(device.storage.contents["session"]), as: UTF8.self)
        #expect(session.contains("third") && session.contains("2M8S4CTH3C9FX6Z1"))
        for (item, data) in device.storage.contents {
            let text = String(decoding: data, as: UTF8.self)
            #expect(!text.contains("idp-canary"), "\(item)")
        }
        #expect(!session.contains("refresh-canary"))
    }

    @Test("MAP-9: the list of mappings is the last known one, also without a network")
    func mappingsOffline() async throws {
        let device = try Device { $0.retries = 0 }
        try await device.start()
        device.network.script(.login(mappings: [.google, .apple]))
        _ = try await device.gatehouse.logIn(with: Credential(provider: .google, idToken: "token"))
        device.network.thenFail(.timedOut)
        let gatehouse = device.gatehouse
        #expect(await failure { try await gatehouse.fetchMember() }?.code == .socketResponseTimeout)
        #expect(device.gatehouse.mappings == [.google, .apple])
    }

    @Test("LOGIN-2: a provider without an adapter is refused with 3002, without a call")
    func noAdapter() async throws {
        let device = try Device()
        try await device.start()
        #expect(await failure { try await device.gatehouse.logIn(with: .google) }?.code == .authNotSupportedProvider)
        #expect(device.network.requests.count == 1)
    }

    @Test("LOGIN-6: a login while logged in ends with 3201 and changes nothing")
    func alreadyLoggedIn() async throws {
        let device = try Device()
        try await device.start()
        let login = try await device.logIn()
        let error = await failure { try await device.gatehouse.logIn(with: .guest) }
        #expect(error?.code == .authIDPLoginFailed)
        #expect(error?.reason == .alreadyLoggedIn)
        #expect(device.gatehouse.userID == login.member.userId)
    }

    @Test("START-4: a second authentication call while one is under way ends at once with 3010")
    func alreadyInProgress() async throws {
        let device = try Device()
        try await device.start()
        device.network.then { _ in .hang }
        let gatehouse = device.gatehouse
        let first = Task { await failure { try await gatehouse.logIn(with: .guest) } }
        while device.network.requests.count < 2 { await Task.yield() }
        #expect(await failure { try await gatehouse.logIn(with: .guest) }?.code == .authAlreadyInProgress)
        #expect(await failure { try await gatehouse.logInWithLastProvider() }?.code == .authAlreadyInProgress)
        #expect(await failure { try await gatehouse.logOut() }?.code == .authAlreadyInProgress)
        first.cancel()
        #expect(await first.value?.code == .authUserCanceled)
        // The cancelled call has ended, so the next may begin.
        _ = try await device.logIn()
    }

    @Test("LOGIN-8: nothing stored is 3103; a session that is over is 3102 at each start, and its provider stays known")
    func lastProviderRefusals() async throws {
        let device = try Device()
        try await device.start()
        #expect(
            await failure { try await device.gatehouse.logInWithLastProvider() }?.code
                == .authTokenLoginInvalidLastLoggedInIDP)
        _ = try await device.logIn()

        for _ in 0..<2 {
            let next = try Device(storage: device.storage)
            try await next.start()
            for _ in 0..<2 {
                next.network.thenRefuse(.authTokenLoginInvalidTokenInfo, reason: .sessionExpired)
                #expect(
                    await failure { try await next.gatehouse.logInWithLastProvider() }?.code
                        == .authTokenLoginInvalidTokenInfo)
                #expect(next.gatehouse.state == .signedOut(.sessionEnded(SessionNotice(reason: .sessionExpired))))
                #expect(next.gatehouse.lastProvider == .guest)
                #expect(next.gatehouse.userID == nil)
                #expect(next.gatehouse.accessToken == nil)
                #expect(await failure { try await next.gatehouse.fetchMember() }?.code == .notLoggedIn)
            }
        }

        let again = try Device(storage: device.storage)
        try await again.start()
        again.network.thenRefuse(.authTokenLoginInvalidTokenInfo, reason: .sessionExpired)
        _ = await failure { try await again.gatehouse.logInWithLastProvider() }
        // The next step in the documents is a login with the last provider.
        let last = try #require(again.gatehouse.lastProvider)
        again.network.script(.login())
        _ = try await again.gatehouse.logIn(with: last)
        #expect(again.gatehouse.userID != nil)
        again.network.then(Empty())
        try await again.gatehouse.logOut()
        #expect(again.gatehouse.lastProvider == nil)
        #expect(
            await failure { try await again.gatehouse.logInWithLastProvider() }?.code
                == .authTokenLoginInvalidLastLoggedInIDP)
    }

    @Test(
        "LOGIN-8: any other refusal is 3101 and clears nothing",
        arguments: [
            (ErrorCode.authAuthenticationServerError, ErrorCode.authTokenLoginFailed),
            (.invalidMember, .authTokenLoginFailed),
            (.authTokenLoginFailed, .authTokenLoginFailed), (.authNotPlayable, .authNotPlayable),
            (.bannedMember, .bannedMember),
            (.serverInternalError, .serverInternalError), (ErrorCode(rawValue: 777_777), .authTokenLoginFailed),
        ])
    func otherRefusals(answered: ErrorCode, thrown: ErrorCode) async throws {
        let first = try Device()
        try await first.start()
        _ = try await first.logIn()
        let device = try Device(storage: first.storage)
        try await device.start()
        device.network.thenRefuse(answered, status: 403)
        let error = await failure { try await device.gatehouse.logInWithLastProvider() }
        #expect(error?.code == thrown)
        let isKnown = answered.row != nil
        #expect(answered == thrown || error?.detailErrorCode == (isKnown ? answered : .serverUnknownError).rawValue)
        #expect(isKnown || error?.details.code == answered)
        #expect(device.storage.contents.keys.contains("session"))
        device.network.script(.login())
        _ = try await device.gatehouse.logInWithLastProvider()
    }

    @Test("LOGIN-8, LOGIN-13: without a network the session is kept, and the player is offline")
    func offline() async throws {
        let first = try Device()
        try await first.start()
        let login = try await first.logIn()
        let device = try Device(storage: first.storage) { $0.retries = 0 }
        try await device.start()
        device.network.thenFail(.unreachable("no route"))
        #expect(await failure { try await device.gatehouse.logInWithLastProvider() }?.code == .socketError)
        #expect(device.gatehouse.state == .offline(login.member))
        device.network.script(.login())
        _ = try await device.gatehouse.logInWithLastProvider()
        #expect(device.gatehouse.state == .signedIn(login.member))
    }

    @Test("LOGIN-8: a storage that can't be read is not an empty one")
    func lockedStorage() async throws {
        let first = try Device()
        try await first.start()
        _ = try await first.logIn()
        let before = first.storage.contents

        first.storage.isUnreadable = true
        let device = try Device(storage: first.storage)
        try await device.start()
        #expect(device.gatehouse.state == .locked)
        let last = await failure { try await device.gatehouse.logInWithLastProvider() }
        #expect(last?.code == .authTokenLoginFailed)
        #expect(last?.reason == .storageLocked)
        let guest = await failure { try await device.gatehouse.logIn(with: .guest) }
        #expect(guest?.code == .authIDPLoginFailed)
        #expect(guest?.reason == .storageLocked)
        #expect(device.storage.contents == before)
        #expect(device.network.requests.count == 1)

        first.storage.isUnreadable = false
        device.network.script(.login())
        _ = try await device.gatehouse.logInWithLastProvider()
    }

    @Test("A login that can't be stored is no login")
    func unwritableStorage() async throws {
        let device = try Device()
        try await device.start()
        _ = try await device.logIn()
        device.network.then(Empty())
        try await device.gatehouse.logOut()
        device.storage.isUnwritable = true
        device.network.script(.login())
        let error = await failure { try await device.gatehouse.logIn(with: .guest) }
        #expect(error?.reason == .storageLocked)
        #expect(device.gatehouse.userID == nil)
    }

    @Test(
        "ERROR-3: an answer that can't be understood is 8003, a failing server 8001",
        arguments: [
            (200, "<html>", ErrorCode.serverInvalidResponse), (200, "{}", .serverInvalidResponse),
            (404, "nginx", .serverInvalidResponse),
            (502, "bad gateway", .serverInternalError), (503, #"{"error":1}"#, .serverInternalError),
            (302, "", .serverInvalidResponse),
        ])
    func strangeAnswers(status: Int, body: String, code: ErrorCode) async throws {
        let device = try Device()
        try await device.start()
        device.network.then { _ in .answer(TransportResponse(status: status, body: Data(body.utf8))) }
        let error = await failure { try await device.gatehouse.logIn(with: .guest) }
        #expect(error?.code == code)
        #expect(device.gatehouse.userID == nil)
        #expect(!device.storage.contents.keys.contains("session"))
    }
}
