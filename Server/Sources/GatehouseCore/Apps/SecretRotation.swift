package import GatehouseSecurity

/// How far an app's game servers have changed over from its former own secret key to its newest.
package struct SecretRotation: Sendable, Hashable {
    /// How long a former key is not used before it is safe to revoke: each game server has asked with the newest by then.
    package static let silentSeconds: Int64 = 86_400

    package let newest: AppSecret
    /// Nil while the newest is the only one.
    package let former: AppSecret?

    /// Nil for an app without an own key.
    ///
    /// - Parameter secrets: the app's valid keys, newest first.
    package init?(_ secrets: [AppSecret]) {
        let own = secrets.filter { $0.name == nil }
        guard let newest = own.first else { return nil }
        self.newest = newest
        former = own.dropFirst().first
    }

    /// When the newest key was used last, which shows that a game server has it; nil while none has.
    package var deployedAt: Moment? { former == nil ? nil : newest.lastUsedAt }

    /// Since when the former key is not used; nil without one.
    package var silentSince: Moment? { former.map { $0.lastUsedAt ?? $0.createdAt } }

    /// From when on the former key has been silent for long enough, if it stays so.
    package var silentFrom: Moment? { silentSince?.adding(seconds: Self.silentSeconds) }

    package func isSilent(at moment: Moment) -> Bool { silentFrom.map { $0 <= moment } ?? false }

    /// Whether the former key can be revoked without a game server noticing.
    package func isSafe(at moment: Moment) -> Bool { deployedAt != nil && isSilent(at: moment) }
}
