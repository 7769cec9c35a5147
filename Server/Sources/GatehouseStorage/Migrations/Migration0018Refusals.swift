extension Migration {
    /// An app's refusals in the order of time: for their list, and for the deletion of the oldest.
    static let refusals = Migration(
        number: 18, name: "refusals",
        statements: ["CREATE INDEX refusals_app ON refusals (app_id, refusal_id)"])
}
