import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gamebase
@testable import Gatehouse

/// Completions, for every result of a call. `TCGBGamebase` handles only one game at a time, so the tests run one after another, in this
/// order.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BridgeTests {
    /// Waits for a completion, and for a second one that must not come.
    private static func once<Value: Sendable>(
        _ call: (@escaping (Value) -> Void) -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Value? {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        call { value in
            #expect(MainQueue.isHere, sourceLocation: sourceLocation)
            continuation.yield(value)
        }
        var iterator = stream.makeAsyncIterator()
        let first = await iterator.next()
        // A second completion would be on the main queue by now.
        await MainActor.run {}
        continuation.finish()
        let second = await iterator.next()
        #expect(second == nil, sourceLocation: sourceLocation)
        return first
    }

    @Test("START-1: before initialize every call completes with 1, once, on the main queue")
    func beforeInitialize() async throws {
        let controller = UIViewController()
        let credential = [kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthFacebook]
        let renewal = TCGBTransferAccountRenewConfiguration.autoRenewConfiguration(renewalTarget: .password)
        let calls: [@Sendable (@escaping (TCGBError?) -> Void) -> Void] = [
            { done in TCGBGamebase.login(type: "guest", viewController: nil) { done($1) } },
            { done in TCGBGamebase.login(credential: [:], viewController: nil) { done($1) } },
            { done in TCGBGamebase.loginForLastLoggedInProvider(viewController: nil) { done($1) } },
            { done in TCGBGamebase.logout(viewController: nil) { done($0) } },
            { done in TCGBGamebase.withdraw(viewController: nil) { done($0) } },
            { done in TCGBGamebase.withdrawImmediately(viewController: nil) { done($0) } },
            { done in TCGBGamebase.requestTemporaryWithdrawal(viewController: nil) { done($1) } },
            { done in TCGBGamebase.cancelTemporaryWithdrawal(viewController: nil) { done($0) } },
            { done in TCGBGamebase.addMapping(type: "google", viewController: nil) { done($1) } },
            { done in TCGBGamebase.addMapping(credential: [:], viewController: nil) { done($1) } },
            { done in TCGBGamebase.removeMapping(type: "google", viewController: nil) { done($0) } },
            { done in TCGBGamebase.issueTransferAccount { done($1) } },
            { done in TCGBGamebase.queryTransferAccount { done($1) } },
            { done in TCGBGamebase.transferAccountWithIdPLogin(accountId: "1", accountPassword: "2") { done($1) } },
            { done in TCGBGamebase.migrate(userId: "1", accessToken: "2") { done($1) } },
            { done in TCGBGamebase.migrate(accountId: "1", accountPassword: "2") { done($1) } },
        ]
        for call in calls {
            let error = await Self.once { done in call { done($0) } }
            #expect(error??.code == TCGB_ERROR_NOT_INITIALIZED)
        }
        let renewed: TCGBError?? = await Self.once { done in
            TCGBGamebase.renewTransferAccount(configuration: renewal) { done($1) }
        }
        #expect(renewed??.code == TCGB_ERROR_NOT_INITIALIZED)
        let login: TCGBError?? = await Self.once { done in
            TCGBGamebase.login(withCredential: credential, viewController: controller) { done($1) }
        }
        #expect(login??.code == TCGB_ERROR_NOT_INITIALIZED)
        #expect(TCGBGamebase.userID() == nil)
        #expect(TCGBGamebase.accessToken() == nil)
        #expect(TCGBGamebase.authMappingList() == nil)
        #expect(TCGBLaunching.launchingStatus().rawValue == 0)
        #expect(TCGBLaunching.launchingInformations() == nil)
        // The completion is optional.
        TCGBGamebase.logout(viewController: nil, completion: nil)
    }

    @Test("A configuration without a server's address completes with 3 and says where to give it")
    func noServer() async throws {
        let configuration = TCGBConfiguration.configuration(appID: "game", appVersion: "1.0")
        let error: TCGBError?? = await Self.once { done in
            TCGBGamebase.initialize(configuration: configuration) { done($1) }
        }
        #expect(error??.code == TCGB_ERROR_INVALID_PARAMETER)
        #expect(error??.message.contains(TCGBConfiguration.serverAddressVariable) == true)
        #expect(error??.message.contains(TCGBConfiguration.serverAddressInfoKey) == true)
    }

    @Test(
        "LOGIN-13: a server that is not there is 110, one that does not answer 101: each once, and it may be called again"
    )
    func network() async throws {
        let closed = try Listener()
        closed.close()
        let silent = try Listener()
        for (port, code) in [(closed.port, TCGB_ERROR_SOCKET_ERROR), (silent.port, TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT)]
        {
            let configuration = TCGBConfiguration.configuration(appID: "game", appVersion: "1.0")
            configuration.serverAddress = URL(string: "http://127.0.0.1:\(port)")
            configuration.configure { configuration in
                configuration.storage = MemoryStorage()
                configuration.timeoutSeconds = 0.3
                configuration.retries = 0
            }
            for _ in 0..<2 {
                let error: TCGBError?? = await Self.once { done in
                    TCGBGamebase.initialize(configuration: configuration) { done($1) }
                }
                #expect(error??.code == code)
                // A failed start leaves the SDK unstarted.
                let login: TCGBError?? = await Self.once { done in
                    TCGBGamebase.login(type: kTCGBAuthGuest, viewController: nil) { done($1) }
                }
                #expect(login??.code == TCGB_ERROR_NOT_INITIALIZED)
            }
        }
        silent.close()
    }

    @Test("START-2: the late answer to a client that another one has replaced is dropped")
    func replacedClient() throws {
        let client = GamebaseClient()
        let configuration = TCGBConfiguration.configuration(appID: "game", appVersion: "1.0")
        configuration.serverAddress = URL(string: "https://login.example.com")
        configuration.configure { $0.storage = MemoryStorage() }
        let (replaced, current) = (try #require(client.open(configuration)), try #require(client.open(configuration)))
        let information = LaunchingInformation(
            appId: AppID("game"), status: .inService, isPlayable: true, message: nil, maintenance: nil, providers: [:],
            language: "en", heartbeatSeconds: 120, serverDate: 0)
        client.didStart(information, replaced)
        #expect(client.launching == nil)
        client.didStart(information, current)
        #expect(client.launching == information)
        // The watch of the last client ends with it.
        _ = client.open(configuration)
    }

    private struct Unheld {
        weak var gatehouse: GatehouseClient?
    }

    /// A client that two starts have answered for at once.
    private func startTwice(_ client: GamebaseClient, _ configuration: TCGBConfiguration) throws -> GatehouseClient {
        let gatehouse = try #require(client.open(configuration))
        let information = LaunchingInformation(
            appId: AppID("game"), status: .inService, isPlayable: true, message: nil, maintenance: nil, providers: [:],
            language: "en", heartbeatSeconds: 120, serverDate: 0)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in client.didStart(information, gatehouse) }
        return gatehouse
    }

    @Test("START-2: what two starts at once follow is followed once, and let go when another client takes its place")
    func simultaneousStarts() async throws {
        let client = GamebaseClient()
        let configuration = TCGBConfiguration.configuration(appID: "game", appVersion: "1.0")
        configuration.serverAddress = URL(string: "https://login.example.com")
        configuration.configure { $0.storage = MemoryStorage() }
        let followed = Unheld(gatehouse: try startTwice(client, configuration))
        #expect(followed.gatehouse != nil)
        _ = client.open(configuration)
        // A second watch, which nobody holds, would keep the client for ever; the suite's time limit ends the wait.
        while followed.gatehouse != nil { await Task.yield() }
    }

    @Test("Calls from any number of threads complete once each")
    func threads() async throws {
        let count = 200
        let answers = Locked(0)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        DispatchQueue.concurrentPerform(iterations: count) { number in
            let done: (TCGBError?) -> Void = { error in
                #expect(error != nil)
                if answers.withLock({
                    $0 += 1; return $0
                }) == count {
                    continuation.yield()
                }
            }
            switch number % 4 {
            case 0: TCGBGamebase.login(type: kTCGBAuthGuest, viewController: nil) { done($1) }
            case 1: TCGBGamebase.loginForLastLoggedInProvider(viewController: nil) { done($1) }
            case 2: TCGBGamebase.logout(viewController: nil) { done($0) }
            default:
                _ = TCGBGamebase.userID()
                _ = TCGBGamebase.authMappingList()
                TCGBGamebase.queryTransferAccount { done($1) }
            }
        }
        for await _ in stream { break }
        await MainActor.run {}
        #expect(answers.withLock { $0 } == count)
    }

    @Test("A handler that is removed hears nothing more, and others do")
    func handlers() async throws {
        let center = EventCenter()
        let heard = Locked<[String]>([])
        let one: GamebaseEventHandler = { message in heard.withLock { $0.append("one " + message.category) } }
        let other: GamebaseEventHandler = { message in heard.withLock { $0.append("other " + message.category) } }
        center.add(one)
        center.add(other)
        await center.send(.loggedOut, ["message": "bye"])
        center.remove(one)
        await center.send(.observerNetwork, ["code": -1])
        center.removeAll()
        await center.send(.loggedOut, [:])
        #expect(heard.withLock { $0 } == ["one loggedOut", "other loggedOut", "other observerNetwork"])
    }
}

/// Whether code runs on the main queue. On Linux a test's main thread serves no queue.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// A port that accepts connections but never responds.
struct Listener {
    private let descriptor: Int32
    let port: Int

    struct Failed: Error {}

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: inet_addr("127.0.0.1"))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw Failed() }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    func close() { _ = Foundation.close(descriptor) }
}
