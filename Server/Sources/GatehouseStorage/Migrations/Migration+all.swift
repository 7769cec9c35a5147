extension Migration {
    /// Every migration, in order. New ones are appended; one that has run anywhere is never changed.
    public static let all: [Migration] = [
        .firstWalk, .accountLife, .identityProviders, .serverAPI, .vaultKeys, .limits, .sessions, .keysAndScopes,
        .audit, .replacements, .resumptions, .transferAttempts, .revokedIdentities, .missedRows,
        .auditProgress, .operators, .refusals, .secretUses, .providerTests, .counts, .clientRules,
        .memberNotes, .archivedTemplates, .appsInKeys, .partitionBounds, .partitionBoundsHold, .partitions,
        .revocableTokens, .membersOfLists, .keyProtection, .refusedStrangers, .secretHints,
        .reasonsOfOperators, .openJobs, .jobFailures, .secretAddresses, .handOver, .alerts, .legacyMembers,
        .importProgress, .jobLanes, .withdrawnSessions, .operatorAttempts,
    ]

    /// The number of the newest one.
    public static var newest: Int { all.map(\.number).max() ?? 0 }
}
