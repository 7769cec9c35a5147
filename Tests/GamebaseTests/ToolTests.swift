import Foundation
import Gatehouse
import GatehouseWire
import Testing

@testable import Gamebase

/// Utilities of games and plug-ins besides the calls: their own values, log, network, adapters.
@Suite struct ToolTests {
    @Test("A value is what the dictionary or the text says that it was made of")
    func constructors() throws {
        let text = """
            {"gracePeriodDate":1795824000000,"message":"%EA%B2%B0","paymentStatus":{"amount":0.5,"count":3,"currency":"KRW"},\
            "releaseRuleCondition":{"amount":10,"conditionType":"OR","count":1,"currency":"KRW"}}
            """
        let dictionary = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        for info in [TCGBGraceBanInfo.graceBanInfo(jsonString: text), .graceBanInfo(dictionary: dictionary)] {
            let date: Int64 = info.gracePeriodDate
            #expect(date == 1_795_824_000_000)
            #expect(info.message == "%EA%B2%B0")
            let count: Int32? = info.paymentStatus?.count
            #expect(count == 3)
            #expect(info.releaseRuleCondition?.conditionType == "OR")
            #expect(info.jsonString() == text)
            #expect(info.dictionary()["message"] as? String == "%EA%B2%B0")
        }
        let status = TCGBPaymentStatus.paymentStatus(jsonString: #"{"amount":1,"count":9999999999,"currency":"EUR"}"#)
        #expect(status == TCGBPaymentStatus.paymentStatus(dictionary: status.dictionary()))
        #expect(status.count == .max)
        let condition = TCGBReleaseRuleCondition.releaseRuleCondition(dictionary: ["conditionType": "AND"])
        #expect(condition == TCGBReleaseRuleCondition.releaseRuleCondition(jsonString: condition.jsonString()))
        let withdrawal = TCGBTemporaryWithdrawalInfo.temporaryWithdrawalInfo(dictionary: ["gracePeriodDate": 5])
        #expect(withdrawal.gracePeriodDate == 5)
        #expect(TCGBTemporaryWithdrawalInfo.temporaryWithdrawalInfo(jsonString: "nonsense").gracePeriodDate == 0)
        let key = TCGBTransferKeyInfo.transferKeyInfo(jsonString: #"{"transferKey":"aB3","regDate":1,"expireDate":2}"#)
        #expect(key.transferKey == "aB3")
        #expect(
            key
                == TCGBTransferKeyInfo.transferKeyInfo(dictionary: [
                    "transferKey": "aB3", "regDate": 1, "expireDate": 2,
                ]))
        let message = TCGBGamebaseEventMessage(.loggedOut, ["message": "bye"])
        let copy = TCGBGamebaseEventMessage.gamebaseEventMessage(jsonString: message.jsonString())
        #expect(copy == message)
        #expect(copy.data == #"{"message":"bye"}"#)
        #expect(TCGBGamebaseEventMessage.gamebaseEventMessage(jsonString: nil).data == nil)
    }

    @Test("A value that came as JSON goes back as it came, and what has another type than documented counts as absent")
    func oddJSON() throws {
        let text = """
            {"gracePeriodDate":"soon","message":"%EA","news":[1,null],"paymentStatus":{"amount":"1","count":2,"paid":true},\
            "releaseRuleCondition":7}
            """
        let info = TCGBGraceBanInfo.graceBanInfo(jsonString: text)
        #expect(info.jsonString() == text)
        #expect(info.gracePeriodDate == 0)
        #expect(info.message == "%EA")
        #expect(info.paymentStatus?.amount == 0)
        #expect(info.paymentStatus?.count == 2)
        #expect(info.paymentStatus?.jsonString() == #"{"amount":"1","count":2,"paid":true}"#)
        #expect(info.releaseRuleCondition == nil)
        let odd: [String: Any] = ["amount": Double.infinity, "count": 1, "currency": NSNull()]
        let status = TCGBPaymentStatus.paymentStatus(dictionary: odd)
        #expect(status.count == 1)
        #expect(status.currency.isEmpty)
        #expect(status.dictionary().keys.sorted() == ["amount", "count"])
    }

    @Test("A number of a dictionary is a number, and a Boolean a Boolean, however they came there")
    func numbers() throws {
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(#"[1,0,true,false,1.5,9007199254740993]"#.utf8)) as? [Any])
        #expect(
            JSONValue(foundation: json)
                == .array([
                    .integer(1), .integer(0), .bool(true), .bool(false), .number(1.5), .integer(9_007_199_254_740_993),
                ]))
        let own: [Any] = [
            1, true, 1.5, 2.0, Int64(3), NSNumber(value: 1), NSNumber(value: false), "text", NSNumber(value: 4.0),
        ]
        #expect(
            JSONValue(foundation: own)?.arrayValue?.prefix(3) == [.integer(1), .bool(true), .number(1.5)])
        #expect(
            JSONValue(foundation: own)?.arrayValue?.dropFirst(4)
                == [.integer(3), .integer(1), .bool(false), .string("text"), .integer(4)])
    }

    @Test("A permanent ban has no end, and a game that asks for one gets 0")
    func permanentBan() throws {
        let ban = TCGBBanInfo(
            Ban(
                userId: UserID("U"), banType: .permanent, beginDate: 1, endDate: nil, message: nil, contact: nil,
                contactUrl: nil))
        let end: NSNumber = ban.endDate
        #expect(end == 0)
        #expect(ban.dictionaryOfBanInfo()["endDate"] == nil)
    }

    @Test("An update that the app's status asks for is in the error that a login ends with, and so is one of 2004")
    func update() throws {
        let standing = Standing(
            isPlayable: false, reason: .updateRequired, untilDate: nil, launchingStatus: .requireUpdate,
            memberStatus: .normal, message: "Please update the game.", actions: [.update])
        func error(_ standing: Standing) -> TCGBError {
            TCGBError(AuthError(.authNotPlayable, details: ErrorDetails(standing: standing)))
        }
        let refused = error(standing)
        #expect(TCGBUpdateInfo.updateInfo(fromError: refused)?.message == "Please update the game.")
        #expect(TCGBUpdateInfo.updateInfo(fromError: refused)?.installUrl == nil)
        #expect(refused.extras["updateInfo"] == #"{"message":"Please update the game."}"#)
        var maintenance = standing
        maintenance.launchingStatus = .maintenance
        #expect(TCGBUpdateInfo.updateInfo(fromError: error(maintenance)) == nil)
        #expect(error(maintenance).extras["updateInfo"] == nil)

        let text = #"{"installUrl":"https://example.com/game","message":"new"}"#
        let dictionary: [String: Any] = ["installUrl": "https://example.com/game", "message": "new"]
        let unregistered = TCGBError(
            AuthError(
                .launchingUnregisteredClient,
                details: ErrorDetails(
                    other: ["updateInfo": ["installUrl": "https://example.com/game", "message": "new"]])))
        for error in [
            unregistered, TCGBError.result(domain: "game", code: 2_004, userInfo: ["updateInfo": text]),
            TCGBError.result(domain: "game", code: 2_004, userInfo: ["updateInfo": dictionary]),
        ] {
            #expect(TCGBUpdateInfo.updateInfo(fromError: error)?.installUrl == "https://example.com/game")
            #expect(error.extras["updateInfo"] == text)
        }
        #expect(TCGBUpdateInfo.updateInfo(fromDictionary: dictionary)?.message == "new")
        #expect(TCGBUpdateInfo.updateInfo(fromError: .result(code: 2_004)) == nil)
    }

    @Test("A log line is one line, and debug lines are for debug mode")
    func log() {
        #expect(Log.line("DEBUG", "a\nb\u{1b}c") == "[Gamebase][DEBUG] a b c\n")
        for level in ["VERBOSE", "DEBUG", "INFO"] {
            #expect(!Log.isWritten(level, isDebugMode: false))
            #expect(Log.isWritten(level, isDebugMode: true))
        }
        #expect(Log.isWritten("WARN", isDebugMode: false))
        #expect(Log.isWritten("ERROR", isDebugMode: false))
    }

    @Test("An alert without a player completes, once, on the main thread")
    @MainActor func alert() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        TCGBUtil.showAlert(title: "TITLE", message: "MESSAGE") {
            continuation.yield(true)
            continuation.finish()
        }
        TCGBUtil.showToast(message: "MESSAGE", length: .short)
        var answers: [Bool] = []
        for await answer in stream { answers.append(answer) }
        #expect(answers == [true])
    }

    @Test("A question without a player is declined, on the main thread, and an action sheet chooses nothing")
    @MainActor func choices() async {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        TCGBUtil.showActionSheet(title: "TITLE", message: nil, blocks: ["A": { _ in continuation.yield("A") }])
        TCGBUtil.showAlert(
            title: "TITLE", message: "MESSAGE", positiveTitle: "YES",
            positiveBlock: { continuation.yield("\($0)") }, negativeTitle: "NO",
            negativeBlock: {
                continuation.yield("\($0)")
                continuation.finish()
            })
        var pressed: [String] = []
        for await title in stream { pressed.append(title) }
        #expect(pressed == ["NO"])
    }

    @Test("A question has its buttons in order, and each calls its own block")
    @MainActor func buttons() {
        let pressed = Locked<[String]>([])
        let press = { (title: String) in pressed.withLock { $0.append(title) } }
        let sheet = Choice.actionSheet(
            title: nil, message: "M", blocks: ["b": { _ in press("b") }, "a": { _ in press("a") }], cancel: "Cancel")
        #expect(sheet.buttons.map(\.title) == ["a", "b", "Cancel"])
        #expect(sheet.buttons.map(\.isCancel) == [false, false, true])
        let alert = Choice.alert(
            title: "T", message: nil, positive: ("yes", { press("\($0)") }), negative: ("no", { press("\($0)") }))
        #expect(alert.buttons.map(\.title) == ["no", "yes"])
        #expect(alert.buttons.map(\.isCancel) == [true, false])
        for button in sheet.buttons + alert.buttons { button.press(UIAlertAction()) }
        #expect(pressed.withLock { $0 } == ["a", "b", "no", "yes"])
    }

    @Test("A network's observer hears of each change once, in order, and not of what the network was at first")
    func networkObserver() async throws {
        let watch = NetworkWatch()
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkStatus.self)
        let handler: NetworkChangedHandler = { continuation.yield($0) }
        watch.observers.add(HandlerToken(handler)) { handler($0) }
        #expect(watch.status == .ReachabilityIsNotDefined)
        let reports: [NetworkStatus] = [
            .ReachableViaWifi, .ReachableViaWifi, .NotReachable, .ReachableViaWWAN, .ReachableViaWWAN,
            .ReachableViaWifi,
        ]
        for report in reports { watch.report(report) }
        #expect(watch.status == .ReachableViaWifi)
        var heard: [NetworkStatus] = []
        for await status in stream {
            heard.append(status)
            if heard.count == 3 { break }
        }
        #expect(heard == [.NotReachable, .ReachableViaWWAN, .ReachableViaWifi])
        #expect(watch.observers.remove(HandlerToken(handler)))
        #expect(!watch.observers.remove(HandlerToken(handler)))
    }

    @Test("The oldest observers are added and removed, and tell whether they were", .enabled(if: Self.isLinux))
    @available(*, deprecated)
    @MainActor func oldObservers() {
        // Linux has no monitor of its network.
        #expect(!TCGBNetwork.addObserverOnChangedNetworkStatus { _ in })
        #expect(!TCGBNetwork.removeObserverOnChangedNetworkStatus { _ in })
        let heard = Locked<[String]>([])
        let handler: LaunchingStatusHandler = { status in
            heard.withLock { $0.append("\(status["code"] ?? "") \(status["message"] ?? "-")") }
        }
        let observers = TCGBGamebase.client.events.launchingStatus
        // Inside of #expect the closure would be wrapped into another.
        let isAdded = TCGBLaunching.addObserver(onChangedStatusNotification: handler)
        observers.send(["code": 303, "message": "Back soon"])
        observers.send(["code": 200])
        let isRemoved = TCGBLaunching.removeObserver(onChangedStatusNotification: handler)
        let isRemovedAgain = TCGBLaunching.removeObserver(onChangedStatusNotification: handler)
        #expect(isAdded && isRemoved && !isRemovedAgain)
        observers.send(["code": 303])
        #expect(heard.withLock { $0 } == ["303 Back soon", "200 -"])
    }

    private static var isLinux: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    @Test("The network is what the interfaces are: of any kind but mobile, mobile alone, none, or nobody knows")
    func network() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "net-\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(NetworkInterfaces.status(in: folder) == .ReachabilityIsNotDefined)
        func set(_ interface: String, _ state: String) throws {
            let own = folder.appendingPathComponent(interface)
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            try Data("\(state)\n".utf8).write(to: own.appendingPathComponent("operstate"))
        }
        try set("lo", "unknown")
        try set("eth0", "down")
        #expect(NetworkInterfaces.status(in: folder) == .NotReachable)
        try set("wwan0", "unknown")
        #expect(NetworkInterfaces.status(in: folder) == .ReachableViaWWAN)
        try set("eth0", "up")
        #expect(NetworkInterfaces.status(in: folder) == .ReachableViaWifi)
        #expect(TCGBNetwork.typeName() == "\(TCGBNetwork.type())")
        #expect(TCGBNetwork.isConnected() == (TCGBNetwork.type() != .NotReachable))
    }

    @Test("An adapter of a game's own brings a token or a proof, and nothing is an error")
    func adapter() throws {
        let token = TCGBProviderAuthToken.authToken(
            accessToken: "TOKEN", refreshToken: nil, acessTokenSecret: nil, expirationTime: 60)
        let credential = TCGBProviderAuthCredential.authCredential(authToken: token, authProfile: nil, authExtra: nil)
        #expect(
            try DelegateAdapter.result(credential, nil, .facebook).get()
                == Credential(provider: .facebook, accessToken: ProviderToken("TOKEN")))
        #expect(throws: AdapterError.self) { try DelegateAdapter.result(nil, nil, .facebook).get() }
        #expect(throws: AdapterError.self) {
            try DelegateAdapter.result(TCGBProviderAuthCredential(), nil, .facebook).get()
        }
        #expect(AdapterName.provider(ofClass: "TCGBAuthFacebookLogin") == "facebook")
        #expect(AdapterName.provider(ofClass: "TCGBAuthIosgamecenterLogin") == "iosgamecenter")
        for name in ["TCGBAuthLogin", "Facebook", ""] { #expect(AdapterName.provider(ofClass: name) == name) }
    }

    /// A game's own adapter, named by its class.
    private final class TCGBAuthExampleLogin: TCGBAuthAdapterDelegate {
        let asked = Locked<[String]>([])

        func login(
            sender: Any?, target: (any TCGBAuthAdapterDelegate)?, additionalInfo: [String: Any]?,
            viewController: UIViewController?, completion: @escaping (Any?, TCGBError?) -> Void
        ) {
            asked.withLock {
                $0.append("login \(additionalInfo?["scope"] ?? "") \(additionalInfo?["sub_code"] ?? "-")")
            }
            let credential = TCGBProviderAuthCredential()
            credential.authToken = TCGBProviderAuthToken()
            credential.authToken?.accessToken = "TOKEN"
            completion(credential, nil)
            // A late completion changes nothing.
            completion(nil, .result(code: TCGB_ERROR_AUTH_USER_CANCELED))
        }

        func logout(
            sender: Any?, target: (any TCGBAuthAdapterDelegate)?, completion: @escaping (TCGBError?) -> Void
        ) {
            asked.withLock { $0.append("logout") }
            completion(nil)
        }
    }

    @Test("An adapter that a game has added is asked before the package's own, by the name of its class")
    func registered() async throws {
        let delegate = TCGBAuthExampleLogin()
        let configuration = TCGBConfiguration.configuration(appID: "game", appVersion: "1")
        configuration.serverAddress = URL(string: "https://login.example.com")
        configuration.addAuthAdapter(delegate)
        let adapter = try #require(configuration.gatehouse(languages: [])?.adapters.first)
        #expect(adapter.provider == Provider("example"))
        let request = AdapterRequest(settings: ProviderSettings(), additionalInfo: ["scope": "email"])
        let credential = try await adapter.logIn(request)
        #expect(credential.accessToken?.secretValue == "TOKEN")
        #expect(credential.region == nil)
        await adapter.logOut()
        #expect(delegate.asked.withLock { $0 } == ["login email -", "logout"])
    }

    @Test(
        "LOGIN-3: a game's own adapter gets LINE's region by the key of the guides, and its credential is of that region"
    )
    func regionOfOwnAdapter() async throws {
        let delegate = TCGBAuthExampleLogin()
        let info = AdditionalInfo([kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "japan"], nil)
        for given in [info.values, [:]] {
            let request = AdapterRequest(
                settings: ProviderSettings(additionalInfo: ["region": "thailand"]), additionalInfo: given)
            let credential = try await DelegateAdapter(delegate).logIn(request)
            #expect(credential.region == (given.isEmpty ? "thailand" : "japan"))
        }
        #expect(delegate.asked.withLock { $0 } == ["login  japan", "login  -"])
    }
}
