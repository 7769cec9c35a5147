import GatehouseSecurity
import GatehouseWire
import Synchronization
import Testing

@testable import GatehouseCore

@Suite struct RateLimiterTests {
    @Test("NET-2: a /48 of IPv6 has sixteen times the limit of a subscriber's /64, and no more")
    func wideNetworks() async throws {
        let limiter = RateLimiter { 0 }
        let app = App(
            id: TestCore.app, name: "", status: .inService, statusMessage: LocalizedText(), defaultLanguage: "en",
            createdAt: Moment(milliseconds: 0))
        var admitted = 0
        for number in 0..<400 {
            let address = try #require(ClientAddress("2001:db8:1:\(String(number, radix: 16))::1"))
            if limiter.take(RateLimiter.Claim.address(.newGuests, app, address, limit: 5)) == nil { admitted += 1 }
        }
        #expect(admitted == 80)
        let other = try #require(ClientAddress("2001:db8:2::1"))
        #expect(limiter.take(RateLimiter.Claim.address(.newGuests, app, other, limit: 5)) == nil)
    }

    @Test("INP-2: past the addresses that there is room for, further ones share a limit, and what rests is forgotten")
    func crowd() async throws {
        let time = Mutex<UInt64>(0)
        let limiter = RateLimiter(maximum: 10) { time.withLock { $0 } }
        let app = App(
            id: TestCore.app, name: "", status: .inService, statusMessage: LocalizedText(), defaultLanguage: "en",
            createdAt: Moment(milliseconds: 0))
        func take(_ number: Int) throws -> Bool {
            let address = try #require(ClientAddress("10.0.\(number / 256).\(number % 256)"))
            return limiter.take(RateLimiter.Claim.address(.newGuests, app, address, limit: 5)) == nil
        }
        for number in 0..<10 { #expect(try take(number)) }
        let admitted = try (10..<500).count { try take($0) }
        #expect(admitted == 5)
        // A network that was known before still has a separate limit.
        #expect(try take(3))
        time.withLock { $0 += 61_000_000_000 }
        #expect(try take(499))
        time.withLock { $0 += 61_000_000_000 }
        for number in 500..<509 { #expect(try take(number)) }
    }
}
