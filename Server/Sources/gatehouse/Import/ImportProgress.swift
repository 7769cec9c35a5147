import GatehouseCore
import GatehouseJSON
import GatehouseSecurity
import GatehouseServer

/// Says each second how far an import is, on standard error.
struct ImportProgress {
    private struct Line: Encodable {
        let step: String
        let records: Int
        let of: Int
        let recordsPerSecond: Int
        let secondsLeft: Int?
        let conflicts: Int
    }

    let step: String
    /// How many records there are; nil before they are counted.
    let total: Int?
    let asJSON: Bool
    private let clock = ServerEnvironment.live.monotonicNanoseconds
    private let start: UInt64
    private var told: UInt64

    init(_ step: String, of total: Int?, asJSON: Bool) {
        (self.step, self.total, self.asJSON) = (step, total, asJSON)
        start = clock()
        told = start
    }

    mutating func tell(_ records: Int, conflicts: Int = 0) {
        let now = clock()
        guard now >= told &+ 1_000_000_000 else { return }
        told = now
        let rate = Int(UInt64(max(0, records)) * 1_000 / max(1, (now - start) / 1_000_000))
        let left = total.map { max(0, $0 - records) / max(1, rate) }
        if asJSON {
            let line = Line(
                step: step, records: records, of: total ?? records, recordsPerSecond: rate, secondsLeft: left,
                conflicts: conflicts)
            if let text = try? JSONText.sorted(line) { Terminal.complain("\(text)") }
        } else {
            let rest = left.map { ", \($0) s left" } ?? ""
            Terminal.complain("\(step): \(records) records, \(rate) a second\(rest), \(conflicts) conflicts")
        }
    }
}
