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
