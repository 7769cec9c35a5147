import GatehouseJSON
package import GatehouseSecurity

extension ImportRun {
    /// What was counted so far.
    package var progress: ImportCounts { get throws { counts == "{}" ? ImportCounts() : try JSONText.read(counts) } }

    /// What the operator has chosen.
    package var choices: ImportOptions { get throws { try JSONText.read(options) } }

    /// Whether a process works at it. One that was killed seems to, until its time is over.
    package func isGoingOn(at moment: Moment) -> Bool { state == .begun && (leasedUntil ?? moment) > moment }

    /// How fast the process is that works at it; nil before its first batch, and when none does.
    package var speed: ImportSpeed? {
        get throws {
            guard state == .begun, let leasedUntil else { return nil }
            // A batch extends the lease by the same time.
            let lastBatch = leasedUntil.adding(seconds: -ImportRules.leaseSeconds)
            let read = try progress.read
            return ImportSpeed(
                read: read - (resumedFrom ?? 0), since: resumedAt ?? begunAt, until: lastBatch,
                left: records.map { max(0, $0 - read) })
        }
    }
}
