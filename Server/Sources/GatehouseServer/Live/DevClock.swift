import Foundation
import GatehouseStorage
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// A clock that can be moved forward, for development: a grace period, a ban's end or a token's expiry is seen in a second. Only
/// `gatehouse dev` has one.
public final class DevClock: Sendable {
    /// A hundred years: far enough for any rule, and no overflow.
    private static let maximumSeconds: Int64 = 3_155_760_000

    private let offsetSeconds = Atomic<Int64>(0)

    public init() {}

    public var now: Moment {
        ServerEnvironment.live.now().adding(seconds: offsetSeconds.load(ordering: .relaxed))
    }

    /// False for a step backwards, or too far.
    func advance(seconds: Int64) -> Bool {
        let offset = offsetSeconds.load(ordering: .relaxed)
        guard (0...Self.maximumSeconds).contains(seconds), offset + seconds <= Self.maximumSeconds else { return false }
        offsetSeconds.add(seconds, ordering: .relaxed)
        return true
    }
}

/// `/dev/clock`: tells the time, or moves it and carries out what that brings.
struct DevClockRoute: Sendable {
    let clock: DevClock
    let sweeper: Sweeper

    private struct Step: Decodable {
        let advanceSeconds: Int64
    }

    func add(to router: Router<GatehouseContext>) {
        router.get("/dev/clock") { _, _ in answer() }
        router.post("/dev/clock") { request, _ in
            var request = request
            let body = try await RequestBody.collect(&request)
            let step = try RequestBody.decode(Step.self, from: body, headers: request.headers)
            guard clock.advance(seconds: step.advanceSeconds) else {
                throw Refusal.parameter("advanceSeconds", "The clock moves forward, by at most a hundred years.")
            }
            try await sweeper.sweep(at: clock.now)
            return answer()
        }
    }

    private func answer() -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: #"{"serverDate":\#(clock.now.milliseconds)}"#)))
    }
}
