import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// How much players have used an app's identity providers in the last days, today included.
package struct ProviderUse: Sendable, Hashable {
    package static let days = 7

    /// The logins with one provider.
    package struct Amount: Sendable, Hashable {
        package fileprivate(set) var logins: Int64 = 0
        /// Those that were refused because the provider could not be asked.
        package fileprivate(set) var failures: Int64 = 0
        /// Whether it is the sum of all providers that the app has named itself, which are counted together.
        package fileprivate(set) var isShared = false

        /// The share of logins that failed, in percent; nil if there was no login.
        package var failurePercent: Double? {
            let tries = logins &+ failures
            return tries > 0 ? Double(failures) * 100 / Double(tries) : nil
        }
    }

    fileprivate var amounts: [String: Amount] = [:]

    /// The logins with all providers.
    package var logins: Int64 { amounts.values.reduce(0) { $0 &+ $1.logins } }

    package subscript(provider: Provider) -> Amount {
        let label = Tally.label(of: provider)
        var amount = amounts[label] ?? Amount()
        amount.isShared = label == Tally.others
        return amount
    }
}

extension UseCase where Self == Read<ProviderUse> {
    /// How much the identity providers of an app are used.
    package static var providerUse: Self {
        Read { context, tx in
            let range = NumberRange(last: ProviderUse.days, .day, until: context.moment, in: context.app.zone)
            var use = ProviderUse()
            for count in try CountQueries.counts(
                of: context.app.id, .day, [.newMember, .returningLogin, .providerFailed], from: range.begin,
                until: range.end, in: tx)
            {
                let path: WritableKeyPath<ProviderUse.Amount, Int64> =
                    count.metric == .providerFailed ? \.failures : \.logins
                use.amounts[count.label, default: ProviderUse.Amount()][keyPath: path] &+= count.amount
            }
            return use
        }
    }
}

/// Whether a player has ever logged in with an identity provider. The numbers say so, because a search for an identity that does not exist
/// would look at all of them.
package struct ReadProviderHasPlayers: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    private static let logins: [Metric] = [.newMember, .returningLogin, .guestLinked, .mappingForced]
    let provider: Provider

    package init(provider: Provider) {
        self.provider = provider
    }

    package func perform(_ work: Work) async throws -> Bool {
        let (app, label) = (work.app.id, Tally.label(of: provider))
        // What this node has counted is not written yet.
        let isCounted = work.services.reporter.tally.hasCounted(Self.logins, label: label, of: app)
        return try await work.report { tx in
            guard try isCounted || CountQueries.hasCounted(Self.logins, label: label, of: app, in: tx) else {
                return false
            }
            // Which of the providers that are counted together it was, only their identities say.
            return try label != Tally.others || IdentityProviderQueries.hasIdentities(provider, app: app, in: tx)
        }
    }
}
