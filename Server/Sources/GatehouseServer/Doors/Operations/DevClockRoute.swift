import GatehouseCore
import GatehouseSecurity
import HTTPTypes
import Hummingbird
import NIOCore

/// `/dev/clock`: returns the time, moves it and makes the changes that become due, or resets it.
struct DevClockRoute: Sendable {
    let clock: DevClock
    let sweeper: Sweeper

    private struct Step: Decodable {
        let advanceSeconds: Int64?
        let reset: Bool?
    }

    func add(to router: Router<GatehouseContext>) {
        router.get("/dev/clock") { _, _ in answer() }
        router.post("/dev/clock") { request, _ in
            var request = request
            let body = try await RequestBody.collect(&request)
            let step = try RequestBody.decode(Step.self, from: body, headers: request.headers)
            let services = sweeper.services
            if step.reset == true {
                try await clock.reset(in: services)
            } else if try await !clock.advance(seconds: step.advanceSeconds ?? -1, in: services) {
                throw Refusal.parameter("advanceSeconds", "The clock moves forward, by at most a hundred years.")
            }
            try await sweeper.sweep()
            return answer()
        }
    }

    private func answer() -> Response {
        let text = #"{"serverDate":\#(clock.now.milliseconds),"aheadSeconds":\#(clock.offsetSeconds)}"#
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
