import Foundation
import Gatehouse
import GatehouseWire

/// Who listens to events.
final class EventCenter: Sendable {
    /// Handlers of one kind. They are called on the main thread, in the order in which they came.
    final class Handlers<Message: Sendable>: @unchecked Sendable {
        private let handlers = Locked<[(identity: ClosureIdentity, call: (Message) -> Void)]>([])

        func add(_ identity: ClosureIdentity, _ call: @escaping (Message) -> Void) {
            handlers.withLock { $0.append((identity, call)) }
        }

        func remove(_ identity: ClosureIdentity) { handlers.withLock { $0.removeAll { $0.identity == identity } } }
        func removeAll() { handlers.withLock { $0 = [] } }

        @MainActor func send(_ message: Message) {
            for handler in handlers.withLock({ $0 }) { handler.call(message) }
        }
    }

    private let handlers = Handlers<TCGBGamebaseEventMessage>()
    let serverPush = Handlers<TCGBServerPushMessage>()
    let observers = Handlers<TCGBObserverMessage>()
    /// Ends of sessions that the game itself is about to bring about.
    private let expected = Locked<Set<ErrorReason>>([])

    func add(_ handler: @escaping GamebaseEventHandler) { handlers.add(ClosureIdentity(handler)) { handler($0) } }
    func remove(_ handler: @escaping GamebaseEventHandler) { handlers.remove(ClosureIdentity(handler)) }
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

    /// An event of the observers' form.
    func send(_ category: TCGBGamebaseEventCategory, code: Int, message: String?) async {
        await send(category, ["code": .integer(Int64(code)), "message": message.map { .string($0) } ?? .null])
    }

    private func observe(_ type: String, _ data: [String: JSONValue]) async {
        await observers.send(.init(type: type, data: data.mapValues(\.foundation)))
    }

    /// Makes a call that ends the session itself: no event tells the game of it.
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

    /// Whether the game has brought an end about; once.
    func wasExpected(_ reason: ErrorReason) -> Bool { expected.withLock { $0.remove(reason) != nil } }
}

/// Tells one closure value from others: its code and what it has captured. A block of Objective-C's is an object.
struct ClosureIdentity: Hashable, Sendable {
    private let code: UInt
    private let context: UInt

    #if canImport(ObjectiveC)
    init(_ handler: @escaping GamebaseEventHandler) {
        code = UInt(bitPattern: Unmanaged.passUnretained(handler as AnyObject).toOpaque())
        context = 0
    }
    #else
    init(_ handler: @escaping GamebaseEventHandler) {
        (code, context) = unsafeBitCast(HeldEventHandler(call: handler), to: (UInt, UInt).self)
    }
    #endif

    init(_ handler: @escaping (TCGBServerPushMessage) -> Void) {
        (code, context) = unsafeBitCast(HeldServerPushHandler(call: handler), to: (UInt, UInt).self)
    }

    init(_ handler: @escaping (TCGBObserverMessage) -> Void) {
        (code, context) = unsafeBitCast(HeldObserver(call: handler), to: (UInt, UInt).self)
    }

    // Closures as they were handed over: given to a generic function by themselves, they come in a wrapper of their own each time.

    #if !canImport(ObjectiveC)
    private struct HeldEventHandler {
        let call: GamebaseEventHandler
    }
    #endif

    private struct HeldServerPushHandler {
        let call: (TCGBServerPushMessage) -> Void
    }

    private struct HeldObserver {
        let call: (TCGBObserverMessage) -> Void
    }
}
