import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage

extension Expiry {
    /// Everything that ends by time, in the order in which it is deleted. What members leave behind when they withdraw goes with the
    /// withdrawal.
    package static func all(_ lifetimes: SessionLifetimes) -> [Expiry] {
        calls + sessions(lifetimes) + transfers + credentials + operators + records(lifetimes)
    }

    private static let calls = [
        Expiry(
            // A proof that is still accepted was issued at most this long ago. One minute is added because proofs are stored by minute.
            "proofs", rows: "ids of calls, with the members that each has changed",
            since: "the call, on PostgreSQL with the others of its hour",
            .init(
                table: "spent_proofs", key: "minute, proof_id", time: .minutes("minute"),
                keptSeconds: ProofVerifier.pastSeconds + 60, index: .primaryKey, divided: .spentProofs)),
        Expiry(
            "calls", rows: "outcomes of calls, sealed, so that a lost answer can be told again", since: "the call",
            .init(
                table: "idempotent_calls", key: "idempotency_key, app_id, owner", time: .milliseconds("created_at"),
                keptSeconds: Idempotency.lifetimeSeconds, index: .named("idempotent_calls_created"))),
    ]

    private static func sessions(_ lifetimes: SessionLifetimes) -> [Expiry] {
        [
            Expiry(
                "sessions", rows: "ended sessions", since: "the end, for complaints",
                .init(
                    table: "sessions", key: "session_id, app_id", time: .milliseconds("ended_at"),
                    keptSeconds: Sweeper.endedSessionDays * 86_400, index: .named("sessions_ended"))),
            Expiry(
                "old sessions", rows: "sessions, however much they are used", since: "the login",
                .init(
                    table: "sessions", key: "session_id, app_id", time: .ids("session_id"),
                    keptSeconds: lifetimes.maximumSeconds, index: .primaryKey)),
            Expiry(
                "idle sessions", "sessions", rows: "sessions that nobody uses",
                kept: "\(lifetimes.idleSeconds / 86_400) days after the last use, and \(Sweeper.endedSessionDays) more"
            ) { sweeper, now in try await sweeper.deleteIdleSessions(at: now) },
            Expiry(
                "sessions of deleted accounts",
                rows: "refresh tokens of deleted accounts, as hashes, so that their devices are told",
                since: "\(Sweeper.endedSessionDays) days after the deletion",
                .init(
                    table: "withdrawn_sessions", key: "token_hash, app_id", time: .milliseconds("expires_at"),
                    index: .named("withdrawn_sessions_end"))),
        ]
    }

    private static let transfers = [
        Expiry(
            "tickets", rows: "tickets to take an identity from another member, used or not", since: "the issue",
            .init(
                table: "forcing_tickets", key: "ticket_id, app_id", time: .ids("ticket_id"),
                keptSeconds: TicketRules.keptSeconds, index: .primaryKey)),
        Expiry(
            "transfer keys", rows: "transfer keys of old clients, as hashes, used or not",
            since: "the end of their time",
            .init(
                table: "transfer_keys", key: "key_hash, app_id", time: .milliseconds("expires_at"),
                keptSeconds: TransferKeyRules.keptSeconds, index: .named("transfer_keys_expiry"))),
        Expiry(
            "attempts at transfers", rows: "wrong attempts at a transfer, by a keyed hash of the device's key",
            since: "a day after the last one, and until the end of a block",
            .init(
                table: "transfer_attempts", key: "device_hash, app_id", time: .milliseconds("kept_until"),
                index: .named("transfer_attempts_end"))),
        Expiry(
            "transfer accounts", rows: "transfer accounts, used or not",
            since: "the end of their time, if the app gives them one",
            .init(
                table: "transfer_accounts", key: "account_id, app_id", time: .milliseconds("expires_at"),
                keptSeconds: TransferRules.keptSeconds, index: .named("transfer_accounts_expiry"))),
        Expiry(
            "former identities", rows: "identities that were moved away",
            since: "it is too late to undo the move: 30 days, or as the app says",
            .init(
                table: "former_identities", key: "user_id, app_id, idp", time: .deadline("expires_at"),
                index: .named("former_identities_expiry"))),
        Expiry(
            "wrong transfers", rows: "how many wrong attempts an app has had in an hour, of nobody in particular",
            since: "the hour",
            .init(
                table: "wrong_transfers", key: "app_id, kind, hour", time: .hours("hour"), keptSeconds: 86_400,
                index: nil)),
    ]

    private static let credentials = [
        Expiry(
            "attempts at old ids",
            rows:
                "how many wrong ids of devices in another system a device, a network and an app have had in an hour, by keyed hashes",
            since: "the hour",
            .init(
                table: "legacy_attempts", key: "party_hash, hour, app_id", time: .hours("hour"), keptSeconds: 86_400,
                index: .named("legacy_attempts_hour"))),
        Expiry(
            "used credentials", rows: "credentials of providers that have counted once, as hashes",
            since: "the credential ends, \(CredentialVerifier.longestUseSeconds / 86_400) days at most",
            .init(
                table: "used_credentials", key: "credential_hash, app_id", time: .milliseconds("expires_at"),
                index: .named("used_credentials_end"))),
        Expiry(
            "login attempts", rows: "logins in a browser, and what the provider told, sealed",
            since: "\(LoginAttemptRules.lifetimeSeconds / 60) minutes after the last step",
            .init(
                table: "login_attempts", key: "attempt_id, app_id", time: .milliseconds("expires_at"),
                index: .named("login_attempts_end"))),
        Expiry(
            "signals", rows: "reports of providers about persons, as hashes, so that each counts once",
            since: "the report",
            .init(
                table: "provider_signals", key: "signal_hash, app_id", time: .milliseconds("received_at"),
                keptSeconds: SignalRules.keptSeconds, index: .named("provider_signals_received"))),
    ]

    private static let operators = [
        Expiry(
            "sessions of operators", rows: "operators' sessions",
            since: "they end, \(OperatorSession.longestSeconds / 3_600) hours at most",
            .init(
                table: "operator_sessions", key: "token_hash", time: .milliseconds("expires_at"),
                index: .named("operator_sessions_end"))),
        Expiry(
            // Earlier versions kept an invitation after its use, so what is too old goes, too.
            "invitations of operators", rows: "invitations of operators",
            since: "they are used or end, \(OperatorRules.invitationSeconds / 3_600) hours at most",
            .init(table: "operator_invitations", key: "token_hash", time: .milliseconds("expires_at"), index: nil)),
        Expiry(
            "attempts of operators",
            rows: "attempts to sign in to the console, by keyed hashes of the name or browser and of the network",
            since: "a quarter of an hour after the last one",
            .init(
                table: "operator_attempts", key: "party_hash", time: .milliseconds("kept_until"),
                index: .named("operator_attempts_end"))),
    ]

    private static func records(_ lifetimes: SessionLifetimes) -> [Expiry] {
        [
            Expiry(
                // Tokens from before that time have expired.
                "revocations", rows: "members whose tokens have ended before their time",
                since:
                    "the revocation (a minute more than an access token lives), on PostgreSQL with the others of its day",
                .init(
                    table: "revocations", key: "revocation_id, app_id", time: .ids("revocation_id"),
                    keptSeconds: lifetimes.accessTokenSeconds + RevocationRules.overlapSeconds, index: .primaryKey,
                    divided: .revocations)),
            Expiry(
                "signing keys", rows: "ids of an app's revoked signing keys", since: "the revocation",
                .init(
                    table: "revoked_signing_keys", key: "app_id, key_id", time: .milliseconds("revoked_at"),
                    keptSeconds: KeyRules.revokedKeyDays * 86_400, index: nil)),
            Expiry(
                "counts", rows: "what has happened in an hour, as numbers; those of days stay", since: "the hour",
                .init(
                    table: "counts", key: "app_id, unit, metric, bucket, label", time: .milliseconds("bucket"),
                    condition: "unit = 'hour'", keptSeconds: CountQueries.hoursKeptSeconds,
                    index: .named("counts_hours"))),
            Expiry(
                "refused calls", rows: "refused calls", since: "the call",
                .init(
                    table: "refusals", key: "refusal_id, app_id", time: .ids("refusal_id"),
                    keptSeconds: RefusalRules.keptSeconds, index: .primaryKey)),
            Expiry(
                "surplus refused calls", "refusals", rows: "the oldest refused calls of an app that has very many",
                kept:
                    "until it has \(RefusalRules.maximumRows) newer ones, or of nobody known \(RefusalRules.maximumStrangers)"
            ) { sweeper, _ in try await sweeper.deleteSurplusRefusals() },
            Expiry(
                "ledger", "ledger", rows: "each step of an account",
                kept:
                    "for ever, or the months of the setting `history-months` ([settings.md](settings.md#histories))"
            ) { sweeper, now in try await sweeper.deleteHistory(at: now) },
            Expiry(
                "jobs", rows: "jobs that have ended, without what they were about", since: "the end",
                .init(
                    table: "jobs", key: "job_id, app_id", time: .milliseconds("ended_at"),
                    keptSeconds: JobRules.keptDays * 86_400, index: .named("jobs_ended"))),
        ]
    }
}
