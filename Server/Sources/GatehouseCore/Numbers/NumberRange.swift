package import GatehouseSecurity

/// The hours or days of a chart.
package struct NumberRange: Sendable, Hashable {
    package enum Unit: Sendable, Hashable { case hour, day }

    package let unit: Unit
    /// The zone of the days.
    package let zone: AppZone
    /// The beginning of the first bucket: of a day, the midnight in UTC of the zone's date.
    package let begin: Moment
    package let count: Int

    /// The last hours or days until a moment, whose own is not over.
    package init(last count: Int, _ unit: Unit, until moment: Moment, in zone: AppZone) {
        self.unit = unit
        self.zone = zone
        self.count = max(1, min(count, 1_000))
        let last = unit == .hour ? moment.hourBegin : Moment(day: zone.day(of: moment))
        begin = last.adding(seconds: -Int64(self.count - 1) * Self.seconds(unit))
    }

    private init(unit: Unit, zone: AppZone, begin: Moment, count: Int) {
        self.unit = unit
        self.zone = zone
        self.begin = begin
        self.count = count
    }

    /// The same number of hours or days before.
    package var before: NumberRange {
        NumberRange(
            unit: unit, zone: zone, begin: begin.adding(seconds: -Int64(count) * Self.seconds(unit)), count: count)
    }

    /// The range with as many hours or days before it.
    package var withBefore: NumberRange {
        NumberRange(unit: unit, zone: zone, begin: before.begin, count: 2 * count)
    }

    /// Some buckets of the range; those that it does not have are left out.
    package func buckets(_ indices: Range<Int>) -> NumberRange {
        let indices = indices.clamped(to: 0..<count)
        return NumberRange(unit: unit, zone: zone, begin: bucket(indices.lowerBound), count: indices.count)
    }

    /// When a bucket begins in the world: a day at the midnight of its zone.
    package func moment(of index: Int) -> Moment {
        unit == .hour ? bucket(index) : zone.begin(ofDay: bucket(index).day)
    }

    package var end: Moment { begin.adding(seconds: Int64(count) * Self.seconds(unit)) }

    package func bucket(_ index: Int) -> Moment { begin.adding(seconds: Int64(index) * Self.seconds(unit)) }

    /// The index of the bucket to which a moment belongs; nil if it is not of the range.
    package func index(of moment: Moment) -> Int? {
        index(ofBucket: unit == .hour ? moment.hourBegin : Moment(day: zone.day(of: moment)))
    }

    /// The index of a bucket by its beginning; nil if it is not of the range.
    func index(ofBucket bucket: Moment) -> Int? {
        guard bucket >= begin, bucket < end else { return nil }
        return Int((bucket.milliseconds - begin.milliseconds) / 1_000 / Self.seconds(unit))
    }

    private static func seconds(_ unit: Unit) -> Int64 { unit == .hour ? 3_600 : 86_400 }
}
