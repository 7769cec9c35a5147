extension Migration {
    /// An index of the jobs that are not done, which are few. The console lists and counts them, and all others are kept for a month.
    static let openJobs = Migration(
        number: 36, name: "open jobs",
        statements: ["CREATE INDEX jobs_open ON jobs (job_id) WHERE state <> 'done'"])
}
