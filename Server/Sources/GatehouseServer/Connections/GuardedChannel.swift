import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A Hummingbird connection with the limit of connections per network and with the deadlines of every state (INP-2).
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: Base
    let times: ConnectionTimes
    let limit: ConnectionLimit

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard limit.admit(channel) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ConnectionLimit.Reached())
        }
        let pipeline = channel.pipeline
        let times = times
        return channel.eventLoop.makeCompletedFuture {
            // A connection keeps this buffer while it waits. Most requests fit, and it grows for larger ones.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1_024, maximum: 65_536))
            try pipeline.syncOperations.addHandler(
                ConnectionDeadlines(times, acceptedAt: channel.eventLoop.now), position: .first)
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let operations = pipeline.syncOperations
            let connection = try operations.handler(type: ConnectionDeadlines.self)
            let tls: (any ChannelHandler)? = try? operations.handler(type: NIOSSLServerHandler.self)
            try operations.addHandler(ArrivalHandler(connection), position: .after(tls ?? connection))
            return value
        }.flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error
        }
    }

    /// Serves the connection's requests on the connection's event loop. Otherwise each call of an asynchronous function, and each
    /// return from one, would go through the loop's queue: fifty times in a request.
    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor.of(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
