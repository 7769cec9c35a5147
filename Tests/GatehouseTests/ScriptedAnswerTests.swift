import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import Testing

/// What a game sees of each ready answer, through the real client.
@Suite struct ScriptedAnswerTests {
    private let network = ScriptedTransport()
    private let clock = ManualClock()
    private let google = ScriptedAdapter(.google)
    private let gatehouse: GatehouseClient
    private let now: Int64 = 1_795_219_200_000

    init() {
        gatehouse = .testing(network, clock: clock, adapters: [google])
    }

    /// A player who is logged in.
    private func play(_ login: ScriptedAnswer = .login()) async throws {
        network.script(.launching(), login)
        try await gatehouse.start()
        try await gatehouse.logIn(with: .guest)
    }

    // MARK: Launching

    @Test("An app in service has its providers, its text and the clock's time")
    func launching() async throws {
        network.script(.launching(providers: [.guest, .line], message: "Hello.") { $0.heartbeatSeconds = 30 })
        clock.advance(seconds: 5)
        let information = try await gatehouse.start()
        #expect(information.status == .inService && information.isPlayable)
        #expect(Set(information.providers.keys) == [.guest, .line])
        #expect(information.message == "Hello.")
        #expect(information.heartbeatSeconds == 30)
        #expect(information.serverDate == now + 5_000)
        #expect(information.appId == "game")
    }

    @Test("A maintenance has its texts and times, and a login during it is refused with them")
    func maintenance() async throws {
        network.script(
            .maintenance(
                message: "Back soon.", until: .seconds(60), url: "https://game.example/maintenance", reason: "database"),
            .notPlayable())
        let information = try await gatehouse.start()
        #expect(information.status == .maintenance && !information.isPlayable)
        #expect(information.message == "Back soon.")
        let maintenance = Maintenance(
            beginDate: now, endDate: now + 60_000, message: "Back soon.", url: "https://game.example/maintenance",
            reason: "database")
        #expect(information.maintenance == maintenance)
        let error = try await failure { try await gatehouse.logIn(with: .guest) }.unwrapped()
        #expect(error.code == .authNotPlayable)
        #expect(error.message == "Back soon.")
        #expect(error.details.launchingStatus == .maintenance)
        #expect(error.details.maintenance == maintenance)
        #expect(error.standing?.reason == .maintenance)
        #expect(error.standing?.untilDate == now + 60_000)
        #expect(error.standing?.actions == [.wait])
    }

    @Test("A planned maintenance leaves the game playable, and one that begins meanwhile does not")
    func plannedMaintenance() async throws {
        network.script(.maintenance(from: .seconds(60)), .notPlayable())
        let information = try await gatehouse.start()
        #expect(information.isPlayable)
        #expect(information.maintenance?.beginDate == now + 60_000)
        let error = await failure { try await gatehouse.logIn(with: .guest) }
        #expect(error?.standing?.launchingStatus == .maintenance)
        #expect(error?.standing?.isPlayable == false)
    }

    @Test("An update is recommended, or required, with its address; a game that has ended says so")
    func updates() async throws {
        network.script(.updateRecommended(url: "https://a.example"), .login())
        #expect(try await gatehouse.start().updateURL == "https://a.example")
        let standing = try await gatehouse.logIn(with: .guest).standing
        #expect(standing.reason == .updateRecommended && standing.isPlayable)
        #expect(standing.updateURL == "https://a.example")
        for (answer, reason, actions) in [
            (ScriptedAnswer.updateRequired(), StandingReason.updateRequired, [StandingAction.update]),
            (.terminated(), .terminated, []),
        ] {
            network.script(answer, .notPlayable())
            let information = try await gatehouse.start()
            #expect(!information.isPlayable)
            let error = await failure { try await gatehouse.logIn(with: .guest, replacing: true) }
            #expect(error?.standing?.reason == reason)
            #expect(error?.standing?.actions == actions)
            #expect(error?.message == information.message)
        }
    }

    // MARK: Login

    @Test("A login is that of the provider that the game asks for, and the last provider brings the same member back")
    func login() async throws {
        let storage = MemoryStorage()
        let first = GatehouseClient.testing(network, storage: storage, adapters: [google])
        network.script(.launching(), .login(userID: "1M8S4CTH3C9FX6Z3"), .launching(), .login())
        try await first.start()
        let login = try await first.logIn(with: .google)
        #expect(login.provider == .google)
        #expect(login.member.mappings.map(\.provider) == [.google])
        #expect(login.standing.actions == [.play])
        let second = GatehouseClient.testing(network, storage: storage)
        try await second.start()
        let again = try await second.logInWithLastProvider()
        #expect(again.member.userId == "1M8S4CTH3C9FX6Z3")
        #expect(again.provider == .google)
        #expect(second.accessToken == AccessToken("access-2"))
    }

    @Test("A guest should be secured; a pending withdrawal and a grace ban come with the login")
    func standings() async throws {
        try await play()
        #expect(gatehouse.standing?.actions == [.play, .secureGuest])
        network.script(.login(deletedIn: .seconds(86_400)), .done())
        var login = try await gatehouse.logIn(with: .guest, replacing: true)
        #expect(login.member.temporaryWithdrawal?.gracePeriodDate == now + 86_400_000)
        #expect(login.standing.reason == .withdrawalPending)
        let graceBan = GraceBan(
            gracePeriodDate: now + 5, message: "Pay.", paymentStatus: .init(amount: 0, count: 0, currency: "KRW"),
            releaseRuleCondition: .init(amount: 9, count: 0, currency: "KRW", conditionType: .or))
        network.script(.login(userID: "1M8S4CTH3C9FX6Z3", graceBan: graceBan) { $0.standing.message = "!" }, .done())
        login = try await gatehouse.logIn(with: .guest, replacing: true)
        #expect(login.member.graceBan == graceBan)
        #expect(login.standing.reason == .graceBanned)
        #expect(gatehouse.standing?.message == "!")
    }

    @Test("A member, a heartbeat and a new token continue the login")
    func session() async throws {
        try await play()
        network.script(.member { $0.graceBan = nil }, .heartbeat(next: 7) { $0.message = "Hi." })
        #expect(try await gatehouse.fetchMember().mappings.map(\.provider) == [.guest])
        #expect(try await gatehouse.sendHeartbeat().nextHeartbeatSeconds == 7)
        #expect(gatehouse.standing?.message == "Hi.")
        network.script(.renewal(), .heartbeat())
        clock.advance(seconds: 3_590)
        #expect(try await gatehouse.validAccessToken() == AccessToken("access-2"))
    }

    // MARK: Refusals

    @Test(
        "A refusal is thrown with its code, its message, its reason and its details",
        arguments: [
            ErrorCode.authIDPLoginFailed, .authIDPLoginInvalidIDPInfo, .invalidMember, .serverInternalError,
            .serverRemoteSystemError, .authAuthenticationServerError, .launchingUnregisteredApp,
        ])
    func refusal(code: ErrorCode) async throws {
        network.script(
            .launching(), .refusal(code),
            .refusal(
                code, message: "Why.", reason: .overloaded, retryAfter: .seconds(5),
                details: ErrorDetails(other: ["more": 1])))
        try await gatehouse.start()
        let plain = try await failure { try await gatehouse.logIn(with: .guest) }.unwrapped()
        #expect(plain.code == code && plain.reason == nil)
        #expect(plain.message == code.row?.meaning)
        #expect(plain.domain == AuthError.serverDomain)
        let full = try await failure { try await gatehouse.logIn(with: .guest) }.unwrapped()
        #expect(full.message == "Why." && full.reason == .overloaded)
        #expect(full.retryAfterSeconds == 5)
        #expect(full.details.other == ["more": 1])
    }

    @Test("A ban has its period, its text and its contact, at a login and in the middle of a game")
    func ban() async throws {
        network.script(
            .launching(),
            .banned(for: .seconds(60), message: "Cheating.", contact: "help", contactURL: "https://h.example"),
            .banned(), .login(), .banned())
        try await gatehouse.start()
        let error = try await failure { try await gatehouse.logIn(with: .guest) }.unwrapped()
        #expect(error.code == .bannedMember)
        let ban = Ban(
            userId: .scripted, banType: .temporary, beginDate: now, endDate: now + 60_000, message: "Cheating.",
            contact: "help", contactUrl: "https://h.example")
        #expect(error.ban == ban)
        #expect(error.standing?.actions == [.wait, .contactSupport])
        let permanent = await failure { try await gatehouse.logIn(with: .guest) }
        #expect(permanent?.ban?.banType == .permanent && permanent?.ban?.endDate == nil)
        try await gatehouse.logIn(with: .guest)
        _ = await failure { try await gatehouse.fetchMember() }
        guard case .signedOut(.sessionEnded(let notice)) = gatehouse.state else {
            Issue.record("\(gatehouse.state)")
            return
        }
        #expect(notice.reason == .banned && notice.message == "This account is banned.")
        #expect(notice.ban?.userId == .scripted)
    }

    @Test("A session that has ended says why, to any call and to the login with the last provider")
    func sessionEnded() async throws {
        try await play()
        network.script(
            .sessionEnded(.kickedOut, message: "Bye."), .launching(), .sessionEnded(.consentRevoked, provider: .google))
        #expect(await failure { try await gatehouse.fetchMember() }?.code == .authInvalidGatehouseToken)
        #expect(gatehouse.state == .signedOut(.sessionEnded(SessionNotice(reason: .kickedOut, message: "Bye."))))
        try await gatehouse.start()
        let error = await failure { try await gatehouse.logInWithLastProvider() }
        #expect(error?.code == .authTokenLoginInvalidTokenInfo && error?.reason == .consentRevoked)
        #expect(error?.details.provider == .google)
    }

    // MARK: Account

    @Test("A mapping is the provider's that the game asks for; a guest's own identity ends with the first")
    func mapping() async throws {
        try await play()
        network.script(.mapped(), .mapped(), .unmapped())
        #expect(try await gatehouse.addMapping(.google).mappings.map(\.provider) == [.google])
        #expect(gatehouse.currentProvider == .google)
        #expect(gatehouse.accessToken == AccessToken("access-2"))
        try await gatehouse.addMapping(Credential(provider: .line, accessToken: "token"))
        #expect(gatehouse.mappings == [.google, .line])
        #expect(try await gatehouse.removeMapping(.line).mappings.map(\.provider) == [.google])
    }

    @Test("A conflict has the other account and its ticket, which moves the identity or changes the login")
    func conflict() async throws {
        try await play()
        network.script(
            .conflict(with: "1M8S4CTH3C9FX6Z3", providers: [.google, .line], lastLogin: .seconds(60)), .mapped())
        let error = try await failure { try await gatehouse.addMapping(.google) }.unwrapped()
        #expect(error.code == .authAddMappingAlreadyMappedToOtherMember)
        let ticket = try error.forcingMappingTicket.unwrapped()
        #expect(ticket.userId == .scripted && ticket.mappedUserId == "1M8S4CTH3C9FX6Z3")
        #expect(ticket.mappedMember.providers == [.google, .line])
        #expect(ticket.mappedMember.lastLoginDate == now - 60_000)
        #expect(ticket.expirationDate == now + 600_000)
        #expect(try await gatehouse.addMapping(forcing: ticket).mappings.map(\.provider) == [.google])
        network.script(.login(), .done())
        let login = try await gatehouse.changeLogin(with: ticket)
        #expect(login.member.userId == "1M8S4CTH3C9FX6Z3")
        #expect(login.provider == .google)
        #expect(network.stepsLeft == 0)
    }

    @Test("A transfer account is issued, queried without its password, redeemed, or blocked; a key has its time")
    func transfer() async throws {
        try await play()
        network.script(.transferAccount(id: "id", password: "secret"), .transferAccount(expiresIn: nil), .transferKey())
        let account = try await gatehouse.issueTransferAccount()
        #expect(account.id == "id" && account.password?.secretValue == "secret")
        #expect(account.expiryDate == now + 2_592_000_000)
        let known = try await gatehouse.queryTransferAccount()
        #expect(known.password == nil && known.expiryDate == nil)
        let key = try await gatehouse.issueTransferKey(validFor: .seconds(60))
        #expect(key.transferKey.secretValue == "ABCDFGHJ" && key.expiryDate == now + 60_000)
        network.script(.transferBlocked(for: .seconds(60), failures: 3), .login(userID: "1M8S4CTH3C9FX6Z3"), .done())
        let error = await failure { try await gatehouse.redeemTransferAccount(id: "other", password: "wrong") }
        #expect(error?.code == .authTransferAccountBlock)
        #expect(error?.transferBlock?.accountId == "other" && error?.transferBlock?.failCount == 3)
        #expect(error?.transferBlock?.blockEndDate == now + 60_000)
        let login = try await gatehouse.redeemTransferAccount(id: "other", password: "right")
        #expect(login.member.userId == "1M8S4CTH3C9FX6Z3" && login.provider == .guest)
    }

    @Test("A withdrawal is pending, cancelled, and done; a logout is done, too")
    func withdrawal() async throws {
        try await play()
        network.script(.withdrawalRequested(gracePeriod: .seconds(60)), .withdrawalCancelled(), .done())
        let member = try await gatehouse.requestWithdrawal()
        #expect(member.temporaryWithdrawal?.gracePeriodDate == now + 60_000 && member.status == .pendingWithdrawal)
        #expect(gatehouse.standing?.actions == [.play, .cancelWithdrawal])
        #expect(try await gatehouse.cancelWithdrawal().temporaryWithdrawal == nil)
        #expect(gatehouse.standing?.reason == .good)
        try await gatehouse.withdraw()
        #expect(gatehouse.state == .signedOut(.sessionEnded(SessionNotice(reason: .withdrawn))))
        try await play()
        network.script(.done())
        try await gatehouse.logOut()
        #expect(gatehouse.state == .signedOut(.loggedOut))
    }

    // MARK: The network

    @Test("No connection, no answer in time, and a page of something else are three errors")
    func failures() async throws {
        network.script(
            .launching(), .noConnection(), .lost(), .foreignPage(), .foreignPage(status: 200), .value(Empty()))
        try await gatehouse.start()
        for code in [
            ErrorCode.socketError, .socketResponseTimeout, .serverInternalError, .serverInvalidResponse,
            .serverInvalidResponse,
        ] { #expect(await failure { try await gatehouse.logIn(with: .guest) }?.code == code) }
        #expect(network.requests.count == 6)
        network.script(.hanging())
        let call = Task { await failure { try await gatehouse.logIn(with: .guest) } }
        while network.stepsLeft > 0 { await Task.yield() }
        call.cancel()
        #expect(await call.value?.code == .authUserCanceled)
    }

    @Test("What a lost answer has told is done: a mapping is found without a second page")
    func lostMapping() async throws {
        try await play()
        network.script(.lost(.mapped()), .login())
        #expect(await failure { try await gatehouse.addMapping(.google) }?.code == .socketResponseTimeout)
        #expect(try await gatehouse.addMapping(.google).mappings.map(\.provider) == [.google])
        #expect(google.requests.count == 1)
    }

    @Test("A call without its answer says which call it was, and what was scripted instead")
    func unscripted() async throws {
        let empty = await failure { try await gatehouse.start() }
        #expect(empty?.code == .authUnknownError)
        #expect(empty?.detailErrorMessage == "nothing is scripted for GET /v1/apps/game/launching")
        network.script(.launching(), .mapped())
        try await gatehouse.start()
        let other = await failure { try await gatehouse.logIn(with: .guest) }
        #expect(
            other?.detailErrorMessage
                == "nothing is scripted for POST /v1/apps/game/login; the next answer is mapped")
        #expect(network.stepsLeft == 1)
    }

    @Test("A page that the player closes and a library that fails end the login")
    func adapter() async throws {
        network.script(.launching(), .login())
        try await gatehouse.start()
        google.fail(.cancelled)
        google.fail(.failed(code: 5, message: "Library."))
        google.succeed(with: Credential(provider: .google, accessToken: "own"))
        #expect(await failure { try await gatehouse.logIn(with: .google) }?.code == .authUserCanceled)
        #expect(await failure { try await gatehouse.logIn(with: .google) }?.detailErrorCode == 5)
        try await gatehouse.logIn(with: .google)
        let body = try network.requests.last?.body.unwrapped()
        #expect(String(decoding: body ?? Data(), as: UTF8.self).contains("own"))
        network.script(.done())
        try await gatehouse.logOut()
        #expect(google.logouts == 1)
        let other = ScriptedAdapter(.google)
        other.failStart(with: AdapterError.cancelled)
        let client = GatehouseClient.testing(network, adapters: [other]) { $0.languages = ["ko"] }
        network.script(.launching())
        try await client.start()
        #expect(network.requests.last?.headers["Accept-Language"] == "ko")
        #expect(await failure { try await client.logIn(with: .google) } != nil)
        #expect(other.requests.isEmpty)
    }
}
