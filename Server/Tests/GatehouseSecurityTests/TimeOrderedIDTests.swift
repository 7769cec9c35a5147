import GatehouseSecurity
import GatehouseWire
import Testing

/// Ids that grow with time, and random tokens.
@Suite struct TimeOrderedIDTests {
    @Test(
        "User ids are of the alphabet, grow with time, and take any clock",
        arguments: [
            0, 1, 1_704_067_199_999, 1_704_067_200_000, 1_795_219_200_000, 3_900_000_000_000, .max, .min,
        ] as [Int64])
    func userIDs(milliseconds: Int64) {
        let id = TimeOrderedID.user(at: Moment(milliseconds: milliseconds), random: .live)
        #expect(id.rawValue.count == UserID.length)
        #expect(id.rawValue.allSatisfy { UserID.alphabet.contains($0) })
        #expect(TimeOrderedID.session(at: Moment(milliseconds: milliseconds), random: .live).rawValue.count == 26)
    }

    @Test("Later ids sort after earlier ones")
    func order() {
        var last = (user: "", session: "")
        for second in 0..<1_000 {
            let moment = Moment(milliseconds: 1_795_219_200_000 + Int64(second) * 999)
            let next = (
                user: TimeOrderedID.user(at: moment, random: .live).rawValue,
                session: TimeOrderedID.session(at: moment, random: .live).rawValue
            )
            #expect(next.user > last.user && next.session > last.session)
            last = next
        }
    }

    @Test("A far future never overflows")
    func saturation() {
        #expect(Moment(milliseconds: .max - 1).adding(seconds: 10).milliseconds == .max)
        #expect(Moment(milliseconds: 0).adding(seconds: .max).milliseconds == .max)
        #expect(Moment(milliseconds: 0).adding(seconds: .min).milliseconds == .min)
    }

    @Test("SES-1: a hundred thousand tokens differ and share no beginning")
    func randomness() {
        var tokens: Set<[UInt8]> = []
        var beginnings: [[UInt8]: Int] = [:]
        for _ in 0..<100_000 {
            let bytes = RandomSource.live.bytes(32)
            tokens.insert(bytes)
            beginnings[Array(bytes.prefix(8)), default: 0] += 1
        }
        #expect(tokens.count == 100_000)
        #expect(beginnings.values.max() == 1)
    }
}
