package import GatehouseSecurity

/// One import of a file of members. It can be cut at any line, and goes on after its checkpoint.
package struct ImportRun: Sendable, Hashable {
    package enum State: String, Sendable {
        /// It goes on, or was cut.
        case begun
        case done, undone
    }

    package let id: String
    package let source: String
    /// The digest of the file, so that a run goes on with the same one alone.
    package let fileDigest: [UInt8]
    package var state = State.begun
    /// How many lines of the file are written.
    package var checkpoint: Int64 = 0
    /// What was counted so far, and what the operator has chosen, both as JSON.
    package var counts = "{}"
    package var options = "{}"
    package let begunBy: String
    package let begunAt: Moment
    /// As long as one process works at it.
    package var leasedUntil: Moment?
    package var endedAt: Moment?
    /// How many records the file has, as its first reading has counted them; nil for a run of an earlier version.
    package var records: Int?
    /// When a run that was cut went on; nil for one that was not.
    package var resumedAt: Moment?
    /// How many records were read before that.
    package var resumedFrom: Int?

    package init(id: String, source: String, fileDigest: [UInt8], begunBy: String, begunAt: Moment) {
        self.id = id
        self.source = source
        self.fileDigest = fileDigest
        self.begunBy = begunBy
        self.begunAt = begunAt
    }
}
