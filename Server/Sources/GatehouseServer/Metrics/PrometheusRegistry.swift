public import CoreMetrics
import GatehousePlatform
import Synchronization

/// A factory of swift-metrics that exports its values in Prometheus's text format (exposition format 0.0.4).
///
/// Timers and aggregating recorders become histograms, timers in seconds. A metric has at most ``maximumSeries`` combinations of
/// labels. All further combinations share one series, so that untrusted labels can't fill the memory.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    static let maximumSeries = 256

    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    private struct Family: Sendable {
        let kind: Kind
        var series: [String: any PrometheusSeries] = [:]
    }

    private struct State: Sendable {
        var families: [String: Family] = [:]
        var help: [String: String] = [:]
        var buckets: [String: [Double]] = [:]
        var collectors: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Sets the help text of a metric, and for a histogram the bounds of its buckets.
    public func describe(_ name: String, _ help: String, buckets: [Double]? = nil) {
        state.withLock { state in
            state.help[name] = help
            state.buckets[name] = buckets
        }
    }

    /// Runs a closure before each export, for values that are queried rather than recorded.
    public func collect(_ collector: @escaping @Sendable () -> Void) {
        state.withLock { $0.collectors.append(collector) }
    }

    /// Every metric as text.
    public func text() -> String {
        for collector in state.withLock({ $0.collectors }) { collector() }
        let (families, help) = state.withLock { ($0.families, $0.help) }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            if let help = help[name] { text += "# HELP \(name) \(help)\n" }
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name, labels: labels, to: &text)
            }
        }
        return text
    }

    private func series<Series: PrometheusSeries>(
        _ kind: Kind, _ label: String, _ dimensions: [(String, String)], _ make: ([Double]?) -> Series
    ) -> Series {
        let name = Self.name(label)
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return state.withLock { state in
            var family = state.families[name] ?? Family(kind: kind)
            let isFull = family.series[labels] == nil && family.series.count >= Self.maximumSeries
            let key = isFull ? #"overflow="true""# : labels
            if let known = family.series[key] as? Series { return known }
            let made = make(state.buckets[name])
            family.series[key] = made
            state.families[name] = family
            return made
        }
    }

    private static func name(_ label: String) -> String {
        String(
            label.unicodeScalars.map { scalar in
                let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                return isPlain || scalar == "_" || scalar == ":" ? Character(scalar) : "_"
            })
    }

    private static func escaped(_ value: String) -> String {
        value.substituting("\\", by: "\\\\").substituting("\"", by: "\\\"").substituting("\n", by: "\\n")
    }

    // MARK: MetricsFactory

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(.counter, label, dimensions) { _ in NumberSeries() }
    }
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(.counter, label, dimensions) { _ in NumberSeries() }
    }
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(.gauge, label, dimensions) { _ in NumberSeries() }
    }
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return series(.gauge, label, dimensions) { _ in NumberSeries() } }
        return series(.histogram, label, dimensions) { HistogramSeries(ends: $0 ?? HistogramSeries.powersOfTwo) }
    }
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(.histogram, label, dimensions) { HistogramSeries(ends: $0 ?? HistogramSeries.seconds) }
    }
    // The counts are kept, because a series that disappeared would look like a restart.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// One combination of labels of a metric.
protocol PrometheusSeries: AnyObject, Sendable {
    func write(_ name: String, labels: String, to text: inout String)
}

extension PrometheusSeries {
    /// Writes integers without a fraction, as Prometheus does.
    func spell(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }
}

/// A counter or a gauge.
final class NumberSeries: PrometheusSeries, CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
    private let bits = Atomic<UInt64>(0)

    private func update(_ change: (Double) -> Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let (done, found) = bits.compareExchange(
                expected: old, desired: change(Double(bitPattern: old)).bitPattern, ordering: .relaxed)
            if done { return }
            old = found
        }
    }

    func increment(by amount: Int64) { update { $0 + Double(amount) } }
    func increment(by amount: Double) { update { $0 + max(0, amount) } }
    func decrement(by amount: Double) { update { $0 - amount } }
    func reset() { update { _ in 0 } }
    func set(_ value: Int64) { update { _ in Double(value) } }
    func set(_ value: Double) { update { _ in value } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, labels: String, to text: inout String) {
        text +=
            "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(spell(Double(bitPattern: bits.load(ordering: .relaxed))))\n"
    }
}

/// Counts the values in each bucket.
final class HistogramSeries: PrometheusSeries, RecorderHandler, TimerHandler {
    static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    static let powersOfTwo = [1.0, 2, 4, 8, 16, 32, 64, 128, 256]

    private let ends: [Double]
    private let counts: Mutex<(buckets: [UInt64], sum: Double)>

    init(ends: [Double]) {
        self.ends = ends
        counts = Mutex((Array(repeating: 0, count: ends.count + 1), 0))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let index = ends.firstIndex { value <= $0 } ?? ends.count
        counts.withLock { counts in
            counts.buckets[index] += 1
            counts.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func write(_ name: String, labels: String, to text: inout String) {
        let (buckets, sum) = counts.withLock { $0 }
        let before = labels.isEmpty ? "" : "\(labels),"
        var total: UInt64 = 0
        for (index, count) in buckets.enumerated() {
            total += count
            let end = index < ends.count ? spell(ends[index]) : "+Inf"
            text += "\(name)_bucket{\(before)le=\"\(end)\"} \(total)\n"
        }
        let own = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)_sum\(own) \(spell(sum))\n\(name)_count\(own) \(total)\n"
    }
}
