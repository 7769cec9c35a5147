import GatehouseSecurity
import GatehouseWire

extension Work {
    /// The device that logs in.
    func device() throws -> LoginDevice {
        LoginDevice(
            key: try actor.requireKey(), view: view, lifetimes: services.issuer.lifetimes, client: view.client,
            keyProtection: try view.keyProtection())
    }

    /// The common end of every login: tokens and standing.
    func login(_ outcome: LoginRules.Outcome) throws -> Login {
        let key = try actor.requireKey()
        return Login(
            member: outcome.member, provider: outcome.provider,
            session: try services.issuer.tokens(
                for: TokenSubject(outcome, app: app.id, key: key), refreshToken: outcome.refreshToken,
                sessionExpiry: Moment(milliseconds: outcome.sessionExpiryDate), keys: context.keys, at: moment),
            standing: StandingRules.standing(of: outcome.member, status: outcome.status, view),
            serverDate: moment.milliseconds)
    }
}

extension TokenSubject {
    fileprivate init(_ outcome: LoginRules.Outcome, app: AppID, key: KeyThumbprint) {
        self.init(
            app: app, user: outcome.member.userId, session: outcome.sessionID, provider: outcome.provider, key: key,
            generation: outcome.generation ?? 0, createdAt: Moment(milliseconds: outcome.sessionCreatedAt))
    }
}
