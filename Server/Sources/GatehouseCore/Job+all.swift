extension JobRules {
    /// The kinds of jobs that this version knows.
    static let kinds: [any Job.Type] = [RevokeTokens.self, ForgetProfiles.self, SendAlert.self]
}
