import Gamebase
import Testing

/// The events that a game receives, in order.
final class EventProbe: Sendable {
    let messages: AsyncStream<TCGBGamebaseEventMessage>
    private let heard: AsyncStream<TCGBGamebaseEventMessage>.Continuation

    @MainActor init() {
        (messages, heard) = AsyncStream.makeStream()
        TCGBGamebase.removeAllEventHandler()
        TCGBGamebase.addEventHandler { [heard] message in
            #expect(MainQueue.isHere)
            heard.yield(message)
        }
    }

    /// The next event, with its data.
    @MainActor func next() async -> (category: String, data: String) {
        for await message in messages { return (message.category, message.data ?? "") }
        return ("", "")
    }

    /// The next events.
    @MainActor func next(_ count: Int) async -> [(category: String, data: String)] {
        var all: [(String, String)] = []
        for _ in 0..<count { all.append(await next()) }
        return all
    }
}
