import GatehouseProviders
import GatehouseSecurity
package import GatehouseWire

/// Logs a device in with a credential: as a guest, or with what an identity provider has issued. The first login of an identity creates
/// its member.
package struct LogIn: PlayerChange {
    let credential: Credential

    package init(credential: Credential) {
        self.credential = credential
    }

    package func perform(_ work: Work) async throws -> Login {
        do {
            return try await login(work)
        } catch {
            work.services.reporter.countRefusedLogin(credential.provider)
            work.countRefusedLogin(credential.provider, error)
            throw error
        }
    }

    private func login(_ work: Work) async throws -> Login {
        guard credential.provider != .guest else { return try await guestLogin(work) }
        let device = try work.device()
        let outcome = try await work.verifying(
            credential, rejected: .authIDPLoginFailed, misconfigured: .authIDPLoginInvalidIDPInfo
        ) { outcome, tx in
            try LoginRules.repeated(outcome, code: .authIDPLoginFailed, on: device, in: tx)
        } _: { identity in
            try await self.outcome(of: identity, work)
        }
        return try work.login(outcome)
    }

    private func guestLogin(_ work: Work) async throws -> Login {
        let identity = VerifiedIdentity(key: .guest(try work.actor.requireKey()))
        let app = work.app.id
        let outcome = try await work.reserving(.newGuests) {
            try await work.read { tx in try MemberRules.isKnown(identity.key, app: app, in: tx) }
        } _: {
            let outcome = try await self.outcome(of: identity, work)
            return (outcome, outcome.isNewMember && !outcome.isRepeated)
        }
        return try work.login(outcome)
    }

    private func outcome(of identity: VerifiedIdentity, _ work: Work) async throws -> LoginRules.Outcome {
        let device = try work.device()
        // A used code may mean a repeated call, so the first call's response is looked for first.
        return try await work.decideOnce(isOftenFirst: credential.loginCode == nil) { outcome, tx in
            try LoginRules.repeated(outcome, code: .authIDPLoginFailed, on: device, in: tx)
        } _: { change, tx in
            try LoginRules.logIn(identity.used(change.credentialWasUsed), on: device, change, in: tx)
        }
    }
}

/// Continues the session of a refresh token, without an identity provider and without a page (LOGIN-8).
package struct LogInWithLastProvider: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> Login {
        let (token, _) = try work.actor.requireRefreshToken()
        let device = try work.device()
        do {
            return try work.login(
                try await work.decide { change, tx in
                    try LoginRules.logInWithLastProvider(token, on: device, change, in: tx)
                })
        } catch {
            work.countRefusedLogin(nil, error)
            throw error
        }
    }
}

/// Logs in as the other member of a ticket, instead of the caller's own (MAP-7).
package struct ChangeLogin: PlayerChange {
    let ticket: TicketUse

    package init(ticket: TicketUse) {
        self.ticket = ticket
    }

    package func perform(_ work: Work) async throws -> Login {
        let device = try work.device()
        let outcome = try await work.transactForPlayer { (outcome: LoginRules.Outcome, tx) in
            // The repeated call has ended its own session, so the session that it opened is checked instead.
            try LoginRules.repeated(outcome, code: .authInvalidGatehouseToken, on: device, in: tx)
        } _: { session, _, change, tx in
            try LoginRules.changeLogin(ticket, of: session, on: device, change, in: tx)
        }
        if !outcome.isRepeated {
            work.services.reporter.tally.count(.loginChanged, outcome.provider, of: work.app.id, at: work.moment)
        }
        return try work.login(outcome)
    }
}
