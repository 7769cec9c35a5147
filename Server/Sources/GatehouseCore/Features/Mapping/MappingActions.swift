import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Adds an identity to the caller's member. If it belongs to another member, the call is refused with a ticket that can resolve this.
package struct AddMapping: PlayerChange {
    let credential: Credential

    package init(credential: Credential) {
        self.credential = credential
    }

    package func perform(_ work: Work) async throws -> MappingChange {
        guard credential.provider != .guest else { throw Refusal(.authAddMappingCannotAddGuestIDP) }
        let view = work.view
        let decision: MappingRules.Decision = try await work.verifying(
            credential, rejected: .authAddMappingFailed, misconfigured: .authAddMappingInvalidIDPInfo,
            repeated: work.whileSessionLives(try work.actor.requireClaims())
        ) { identity in
            do {
                return try await work.decideForPlayer { session, account, change, tx in
                    _ = try LaunchingRules.requirePlayable(device: session.key, view, in: tx)
                    return try MappingRules.add(
                        identity.used(change.credentialWasUsed), to: account, of: session, view, change, in: tx)
                }
            } catch is MappingRules.OtherSessionsOpen {
                return try await work.transactForPlayer { session, account, change, tx in
                    _ = try LaunchingRules.requirePlayable(device: session.key, view, in: tx)
                    return try MappingRules.addToGuest(
                        identity.used(change.credentialWasUsed), to: account, of: session, view, change, in: tx)
                }
            }
        }
        switch decision {
        case .mapped(let outcome): return try await work.mappingChange(outcome)
        case .conflict(let ticket):
            throw Refusal(
                .authAddMappingAlreadyMappedToOtherMember,
                details: ErrorDetails(forcingMappingTicket: ticket))
        }
    }
}

/// Moves the identity of a ticket to the caller's member.
package struct ForceMapping: PlayerChange {
    let ticket: TicketUse

    package init(ticket: TicketUse) {
        self.ticket = ticket
    }

    package func perform(_ work: Work) async throws -> MappingChange {
        let view = work.view
        let outcome = try await work.transactForPlayer { session, _, change, tx in
            _ = try LaunchingRules.requirePlayable(device: session.key, view, in: tx)
            return try MappingRules.force(ticket, of: session, view, change, in: tx)
        }
        return try await work.mappingChange(outcome)
    }
}

/// Removes an identity from the caller's member.
package struct RemoveMapping: PlayerChange {
    let removal: MappingRemoval

    package init(removal: MappingRemoval) {
        self.removal = removal
    }

    package func perform(_ work: Work) async throws -> MappingChange {
        let outcome = try await work.transactForPlayer { session, account, change, tx in
            try MappingRules.remove(removal.provider, from: account, of: session, change, in: tx)
        }
        return try await work.mappingChange(outcome)
    }
}

extension Work {
    /// The answer to a change of mappings. An access token is replaced if its provider is no longer the session's.
    fileprivate func mappingChange(_ outcome: MappingRules.Outcome) async throws -> MappingChange {
        let claims = try actor.requireClaims()
        var tokens: SessionTokens?
        if outcome.provider != claims.provider {
            let sessionExpiry = outcome.sessionExpiryDate.map { Moment(milliseconds: $0) }
            tokens = try services.issuer.tokens(
                for: TokenSubject(claims, provider: outcome.provider), refreshToken: nil,
                sessionExpiry: sessionExpiry ?? claims.expiresAt, keys: context.keys, at: moment)
        }
        return MappingChange(
            member: outcome.member, provider: outcome.provider, session: tokens,
            standing: StandingRules.standing(of: outcome.member, status: try await launchingStatus(), view),
            serverDate: moment.milliseconds)
    }
}
