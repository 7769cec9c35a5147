import GatehousePlatform
import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// How far an app is on the way to its first players, as its data show.
package struct FirstHour: Sendable, Hashable {
    package enum Step: String, Sendable, CaseIterable {
        /// A player has logged in.
        case player
        /// A game server has called with a secret key.
        case secret
        /// An identity provider beside guests is switched on.
        case provider
        /// A test of a provider's present settings has found nothing wrong.
        case test
        /// A device is allowed to play whatever the status of the service is.
        case device
        /// Players have a text to read while the service is closed.
        case maintenance
        /// A second person can do what only owners may.
        case owner
    }

    package struct Done: Sendable, Hashable {
        /// Nil if it is not known.
        package let since: Moment?
    }

    package internal(set) var done: [Step: Done] = [:]
    /// The first player.
    package internal(set) var player: UserID?

    package var isDone: Bool { done.count == Step.allCases.count }
}

extension UseCase where Self == Read<FirstHour> {
    /// Which of the first steps of an app are done, and since when.
    package static var firstHour: Self { Read { context, tx in try FirstHour(of: context.app, in: tx) } }
}

extension FirstHour {
    fileprivate init(of app: App, in tx: Reader) throws {
        self.init()
        let player = try MemberQueries.first(of: app.id, in: tx)
        self.player = player?.user
        note(.player, player?.registeredAt)
        note(.secret, try SecretQueries.secrets(of: app.id, in: tx).compactMap(\.lastUsedAt).max())
        note(.provider, try IdentityProviderQueries.firstEnabled(of: app.id, in: tx))
        note(.test, try Self.passedTest(app, in: tx))
        note(.device, try AppQueries.testDevices(of: app.id, in: tx).first?.addedAt)
        if let text = try Self.maintenanceText(app, in: tx) { done[.maintenance] = text }
        note(.owner, try Self.secondOwner(app.id, in: tx))
    }

    private mutating func note(_ step: Step, _ since: Moment?) {
        if let since { done[step] = Done(since: since) }
    }

    /// The latest test of a provider as it is set now that has found nothing wrong.
    private static func passedTest(_ app: App, in tx: Reader) throws -> Moment? {
        try ProviderTestQueries.tests(of: app.id, in: tx).filter { provider, test in
            test.isPassed(by: app.providers[provider])
        }.values.map(\.date).max()
    }

    /// The number of changes of the app's settings that are looked through.
    private static let lookedAt = 200

    /// A text of now, or the first one that was set lately.
    private static func maintenanceText(_ app: App, in tx: Reader) throws -> Done? {
        let record = try OperatorRecordQueries.records(
            of: app.id, target: ActionTarget.app.text, limit: lookedAt, in: tx
        )
        .last { record in record.after?.values.keys.contains(where: isText) ?? false }
        let hasText = !app.statusMessage.texts.isEmpty || app.maintenance.map { !$0.message.texts.isEmpty } ?? false
        return record != nil || hasText ? Done(since: record?.date) : nil
    }

    private static func isText(_ name: String) -> Bool {
        name.begins(with: "maintenance.message.") || name.begins(with: "statusMessage.")
    }

    /// When the second of those was invited who can sign in and are owners in the app.
    private static func secondOwner(_ app: AppID, in tx: Reader) throws -> Moment? {
        try OperatorQueries.all(in: tx)
            .filter { $0.isEnrolled && !$0.isDisabled && $0.role(in: app) == .owner }
            .map(\.createdAt).sorted().dropFirst().first
    }
}
