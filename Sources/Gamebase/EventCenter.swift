import Foundation
import Gatehouse
import GatehouseWire

/// The registry of event handlers.
final class EventCenter: Sendable {
    /// Handlers of one kind. They are called on the main thread, in the order in which they were added.
    final class Handlers<Message: Sendable>: Sendable {
        private let handlers = Locked<[(token: HandlerToken, call: Unchecked<(Message) -> Void>)]>([])

        func add(_ token: HandlerToken, _ call: @escaping (Message) -> Void) {
            let call = Unchecked(call)
            handlers.withLock { $0.append((token, call)) }
        }

        /// False if there is no such handler.
        @discardableResult func remove(_ token: HandlerToken) -> Bool {
            handlers.withLock { handlers in
                let count = handlers.count
                handlers.removeAll { $0.token == token }
                return handlers.count < count
            }
        }

        func removeAll() { handlers.withLock { $0 = [] } }

        @MainActor func send(_ message: Message) {
            for handler in handlers.withLock({ $0 }) { handler.call.value(message) }
        }
    }

    private let handlers = Handlers<TCGBGamebaseEventMessage>()
    let serverPush = Handlers<TCGBServerPushMessage>()
    let observers = Handlers<TCGBObserverMessage>()
    /// The handlers of ``TCGBLaunching/addObserver(onChangedStatusNotification:)``: they get `code` and `message`.
    let launchingStatus = Handlers<[String: JSONValue]>()
    /// Session ends that the game itself has initiated.
    private let expected = Locked<Set<ErrorReason>>([])

    func add(_ handler: @escaping GamebaseEventHandler) { handlers.add(HandlerToken(handler)) { handler($0) } }
    func remove(_ handler: @escaping GamebaseEventHandler) { handlers.remove(HandlerToken(handler)) }
    func removeAll() { handlers.removeAll() }

    func send(_ category: TCGBGamebaseEventCategory, _ data: [String: JSONValue]) async {
        let message = TCGBGamebaseEventMessage(category, data)
        await handlers.send(message)
        switch category {
        case .serverPushAppKickout:
            await serverPush.send(.init(type: kTCGBServerPushNotificationTypeAppKickout, data: message.data ?? ""))
        case .serverPushTransferKickout:
            await serverPush.send(.init(type: kTCGBServerPushNotificationTypeTransferKickout, data: message.data ?? ""))
        case .observerNetwork: await observe(kTCGBObserverMessageTypeNetwork, data)
        case .observerLaunching: await observe(kTCGBObserverMessageTypeLaunching, data)
        case .observerHeartbeat: await observe(kTCGBObserverMessageTypeHeartbeat, data)
        default: break
        }
    }

    /// Sends an event in the observers' format.
    func send(_ category: TCGBGamebaseEventCategory, code: Int, message: String?) async {
        await send(category, ["code": .integer(Int64(code)), "message": message.map { .string($0) } ?? .null])
    }

    private func observe(_ type: String, _ data: [String: JSONValue]) async {
        await observers.send(.init(type: type, data: data))
    }

    /// Makes a call that ends the session itself, so that no event reports it to the game.
    func expecting(
        _ reason: ErrorReason, _ call: () async throws(AuthError) -> Void
    ) async throws(AuthError) {
        expected.withLock { _ = $0.insert(reason) }
        do throws(AuthError) {
            try await call()
        } catch {
            expected.withLock { _ = $0.remove(reason) }
            throw error
        }
    }

    /// Whether the game itself has initiated this end. The answer is true only once.
    func wasExpected(_ reason: ErrorReason) -> Bool { expected.withLock { $0.remove(reason) != nil } }
}

#if canImport(ObjectiveC)
// A handler is a block, so that Objective-C's own can be removed again. A Swift closure becomes a different block each time.

/// Receives an event: ``TCGBGamebase/addEventHandler(_:)``.
public typealias GamebaseEventHandler = @convention(block) (TCGBGamebaseEventMessage) -> Void
/// Receives a kick-out or a transfer: ``TCGBGamebase/addServerPushEvent(_:)``.
public typealias ServerPushEventHandler = @convention(block) (TCGBServerPushMessage) -> Void
/// Receives a change of status, network or account: ``TCGBGamebase/addObserver(_:)``.
public typealias ObserverHandler = @convention(block) (TCGBObserverMessage) -> Void
/// Receives a change of the game's status: ``TCGBLaunching/addObserver(onChangedStatusNotification:)``.
public typealias LaunchingStatusHandler = @convention(block) ([String: Any]) -> Void
/// Receives a change of the network: ``TCGBNetwork/addObserverOnChangedNetworkStatus(handler:)``.
public typealias NetworkChangedHandler = @convention(block) (NetworkStatus) -> Void
#else
/// Receives an event: ``TCGBGamebase/addEventHandler(_:)``.
public typealias GamebaseEventHandler = (TCGBGamebaseEventMessage) -> Void
/// Receives a kick-out or a transfer: ``TCGBGamebase/addServerPushEvent(_:)``.
public typealias ServerPushEventHandler = (TCGBServerPushMessage) -> Void
/// Receives a change of status, network or account: ``TCGBGamebase/addObserver(_:)``.
public typealias ObserverHandler = (TCGBObserverMessage) -> Void
/// Receives a change of the game's status: ``TCGBLaunching/addObserver(onChangedStatusNotification:)``.
public typealias LaunchingStatusHandler = ([String: Any]) -> Void
/// Receives a change of the network: ``TCGBNetwork/addObserverOnChangedNetworkStatus(handler:)``.
public typealias NetworkChangedHandler = (NetworkStatus) -> Void
#endif

/// Names a handler that was added, so that it can be removed. The registry keeps the handler, so that no other gets its token.
struct HandlerToken: Hashable, Sendable {
    #if canImport(ObjectiveC)
    private let block: ObjectIdentifier

    // A block is an object, and keeps its identity.
    init(_ handler: @escaping GamebaseEventHandler) { block = ObjectIdentifier(handler as AnyObject) }
    init(_ handler: @escaping ServerPushEventHandler) { block = ObjectIdentifier(handler as AnyObject) }
    init(_ handler: @escaping ObserverHandler) { block = ObjectIdentifier(handler as AnyObject) }
    init(_ handler: @escaping LaunchingStatusHandler) { block = ObjectIdentifier(handler as AnyObject) }
    init(_ handler: @escaping NetworkChangedHandler) { block = ObjectIdentifier(handler as AnyObject) }
    #else
    private let bytes: [UInt8]

    // Swift compares no closures, and Gamebase's API has nothing else to name a handler by. Two closures of the same bytes are the
    // same one, whatever the bytes mean. Where a copy had other bytes, a removal would find nothing, and ``TCGBGamebase`` can still
    // remove all handlers. A closure is in a struct here, because a bare one gets a new wrapper when a generic function takes it.
    init(_ handler: @escaping GamebaseEventHandler) { self.init(of: EventHandler(call: handler)) }
    init(_ handler: @escaping ServerPushEventHandler) { self.init(of: ServerPush(call: handler)) }
    init(_ handler: @escaping ObserverHandler) { self.init(of: Observer(call: handler)) }
    init(_ handler: @escaping LaunchingStatusHandler) { self.init(of: LaunchingStatusObserver(call: handler)) }
    init(_ handler: @escaping NetworkChangedHandler) { self.init(of: NetworkObserver(call: handler)) }

    private init(of handler: some Any) { bytes = withUnsafeBytes(of: handler) { Array($0) } }

    private struct EventHandler {
        let call: GamebaseEventHandler
    }

    private struct ServerPush {
        let call: ServerPushEventHandler
    }

    private struct Observer {
        let call: ObserverHandler
    }

    private struct LaunchingStatusObserver {
        let call: LaunchingStatusHandler
    }

    private struct NetworkObserver {
        let call: NetworkChangedHandler
    }
    #endif
}
