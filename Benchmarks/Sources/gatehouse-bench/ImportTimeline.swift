/// When an import had written how many members.
struct ImportTimeline {
    private var samples: [(seconds: Double, members: Int)]

    /// - Parameter start: when the writing began, in seconds.
    init(start: Double) { samples = [(start, 0)] }

    var start: Double { samples[0].seconds }

    /// How many members were written at the last look.
    var members: Int { samples.last?.members ?? 0 }

    mutating func add(_ members: Int, at seconds: Double) {
        if members > self.members { samples.append((seconds, members)) }
    }

    /// When so many members were written, as a straight line between two looks says it.
    private func seconds(of members: Double) -> Double {
        for (before, after) in zip(samples, samples.dropFirst()) where Double(after.members) >= members {
            let share = (members - Double(before.members)) / Double(after.members - before.members)
            return before.seconds + share * (after.seconds - before.seconds)
        }
        return samples.last?.seconds ?? 0
    }

    /// The rate of the last tenth of the members, as a share of that of the first tenth.
    var lastShare: Double {
        let all = Double(members)
        let (first, last) = (seconds(of: all / 10) - start, seconds(of: all) - seconds(of: all * 0.9))
        return last > 0 ? first / last : 0
    }
}
