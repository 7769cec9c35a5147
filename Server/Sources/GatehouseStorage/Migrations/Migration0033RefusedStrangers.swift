extension Migration {
    /// Indexes of refused calls without a member: by device, because they are deleted when its member withdraws, and by time, because
    /// they have a bound of their own.
    static let refusedStrangers = Migration(
        number: 33, name: "refused strangers",
        statements: [
            "CREATE INDEX refusals_device ON refusals (key_thumbprint, app_id) WHERE user_id IS NULL",
            "CREATE INDEX refusals_strangers ON refusals (app_id, refusal_id) WHERE user_id IS NULL",
        ])
}
