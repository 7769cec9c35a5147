extension Migration {
    /// The last failed attempts of a job, each with its time and error, as a list in JSON. NULL until one has failed.
    static let jobFailures = Migration(
        number: 37, name: "job failures", statements: ["ALTER TABLE jobs ADD COLUMN failures TEXT"])
}
