extension Migration {
    /// The lane in which a job waits, by which a runner finds one job of each, so that the many jobs of one lane hide no others. It is
    /// empty in rows of a server of before.
    static let jobLanes = Migration(
        number: 43, name: "job lanes",
        statements: [
            "ALTER TABLE jobs ADD COLUMN lane TEXT NOT NULL DEFAULT ''",
            "CREATE INDEX jobs_lanes ON jobs (lane, next_at) WHERE state = 'waiting'",
        ])
}
