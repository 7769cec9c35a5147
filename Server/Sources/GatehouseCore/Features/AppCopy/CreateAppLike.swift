import GatehouseProviders
package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Creates an app with the settings of another one. It gets neither its members nor its keys and secrets, nor what would let players of
/// one game into the other.
package struct CreateAppLike: UseCase {
    package let permission = Permission.administer
    package let roles = OperatorRoles(inApp: nil, onServer: .owner)
    let id: AppID
    let name: String
    let other: AppID

    package init(id: AppID, name: String, like other: AppID) {
        self.id = id
        self.name = name
        self.other = other
    }

    package struct Outcome: Sendable {
        /// The new app's secret key, which is returned only here.
        package let secret: SecretKey
        package let lines: [AppCopyLine]
    }

    package var audited: AuditedRun? { AuditedRun(CreateApp.about.name, on: .newApp(id)) }

    package func perform(_ work: Work) async throws -> Outcome {
        let (services, actor, moment) = (work.services, work.actor, work.moment)
        // Two apps have no common transaction (docs/scaling.md). What changes in the other app meanwhile is not copied.
        let pattern = try await services.database.read { tx in
            guard let app = try AppQueries.app(other, in: tx) else { throw AppRules.unknownApp }
            let call = CallContext(app: app, moment: moment)
            return try AppPattern(of: OperatorContext(call: call, actor: actor, services: services), in: tx)
        }
        let create = CreateApp(id: id, name: name, details: ["like": other.rawValue]) { change, tx in
            try pattern.write(change, in: tx)
        }
        let secret = try await create.perform(work).secret
        return Outcome(secret: secret, lines: pattern.lines)
    }
}

/// What a new app takes over from another one, and what it does not.
struct AppPattern: Sendable {
    private let app: App
    private let moment: Moment
    private let providers: [ProviderView]
    private let templates: [BanTemplate]
    private let replies: [Reply]
    /// How many there are of what is not copied.
    private let others: [AppCopyLine]

    init(of context: OperatorContext, in tx: Reader) throws {
        (app, moment) = (context.app, context.moment)
        providers = try ProviderView.all(of: context.app.id, vault: context.vault, in: tx).values
            .sorted { $0.provider.rawValue < $1.provider.rawValue }
        templates = try Read.banTemplates.read(context, tx)
        replies = try ReplyQueries.replies(of: context.app.id, in: tx)
        others = [
            .clientRules(context.app.clientRules.count),
            .testDevices(try AppQueries.testDevices(of: context.app.id, in: tx).count),
            .alertReceivers(try Read.alertReceivers.read(context, tx).count),
            .legacySources(
                try Read.legacySources.read(context, tx).filter { $0.isOpen(at: context.moment) }.count),
        ]
    }

    /// A fake world lets everybody in as everybody, at an address that is another one tomorrow.
    private var realProviders: [ProviderView] { providers.filter { $0.configuration.origin == nil } }
    private var usedTemplates: [BanTemplate] { templates.filter { !$0.isArchived } }
    private var isMaintenanceOver: Bool { app.maintenance.map { $0.end <= moment } ?? false }

    /// Fills an app that was just made.
    func write(_ change: Change, in tx: Transaction) throws {
        let id = change.app.id
        let (old, new) = (change.app, try AppRules.change(id, in: tx, fill))
        if new.policy != old.policy || new.defaultLanguage != old.defaultLanguage {
            try change.record(.policySet, in: tx)
        }
        if new.limits != old.limits { try change.record(.limitsSet, in: tx) }
        if new.statusMessage != old.statusMessage { try change.record(.statusSet, in: tx) }
        if new.maintenance != nil { try change.record(.maintenancePlanned, in: tx) }
        for provider in realProviders {
            // Its client ids are the other game's, so nobody can log in with it before an operator has looked at it.
            var configuration = provider.configuration
            (configuration.isEnabled, configuration.sealedSecrets, configuration.callbackURL) = (false, nil, nil)
            try IdentityProviderQueries.set(provider.provider, configuration, app: id, at: change.moment, in: tx)
            try change.record(.providerSet, ["idp": provider.provider.rawValue], in: tx)
        }
        for template in usedTemplates {
            try BanRules.setTemplate(template.code, name: template.name, texts: template.texts, app: id, in: tx)
            try change.record(.banTemplateAdded, in: tx)
        }
        for reply in replies { try ReplyQueries.set(reply, app: id, in: tx) }
    }

    private func fill(_ new: inout App) {
        new.defaultLanguage = app.defaultLanguage
        new.policy = app.policy
        new.policy.redirects = nil
        for setting in AppLimits.Setting.allCases where app.limits[setting] != 0 {
            new.limits[setting] = app.limits[setting]
        }
        if app.status == .inService { new.statusMessage = app.statusMessage }
        // One that is over has no effect, but the form of the next one offers its texts.
        if isMaintenanceOver { new.maintenance = app.maintenance }
    }

    /// What it copies, and what it does not.
    var lines: [AppCopyLine] { copied + left }

    private var copied: [AppCopyLine] {
        var lines: [AppCopyLine] = [
            .language(app.defaultLanguage), .accountPolicy(hasTransfers: app.policy.transfer != nil), .limits,
        ]
        lines += realProviders.map { .provider($0.provider, secrets: $0.secrets.keys.sorted()) }
        lines += [.banTemplates(usedTemplates.count), .replies(replies.count)].filter(\.isThere)
        if app.status == .inService, !app.statusMessage.texts.isEmpty { lines.append(.statusText) }
        if let maintenance = app.maintenance, isMaintenanceOver {
            lines.append(.maintenanceTexts(end: maintenance.end))
        }
        return lines
    }

    private var left: [AppCopyLine] {
        var lines: [AppCopyLine] = []
        if let redirects = app.policy.redirects, !redirects.isEmpty { lines.append(.redirects(redirects)) }
        let unlimited = AppLimits.Setting.allCases.filter { app.limits[$0] == 0 }.map(\.rawValue)
        if !unlimited.isEmpty { lines.append(.unlimited(unlimited)) }
        let fake = providers.filter { $0.configuration.origin != nil }.map(\.provider)
        if !fake.isEmpty { lines.append(.fakeProviders(fake)) }
        if app.status != .inService { lines.append(.status(app.status)) }
        if let maintenance = app.maintenance, !isMaintenanceOver { lines.append(.maintenance(end: maintenance.end)) }
        return lines + ([.archivedTemplates(templates.count - usedTemplates.count)] + others).filter(\.isThere)
    }
}

extension AppCopyLine {
    /// Whether it is about anything.
    fileprivate var isThere: Bool {
        switch self {
        case .banTemplates(let count), .replies(let count), .archivedTemplates(let count), .clientRules(let count),
            .testDevices(let count), .alertReceivers(let count), .legacySources(let count):
            count > 0
        default: true
        }
    }
}

/// One line of what a new app has of the app that it is like, and of what it has not.
package enum AppCopyLine: Sendable, Hashable {
    // What is copied.
    case language(String)
    /// The policy of accounts but the redirects, and whether there are transfer accounts.
    case accountPolicy(hasTransfers: Bool)
    case limits
    /// It is switched off. What it is missing is the secrets of these names.
    case provider(Provider, secrets: [String])
    case banTemplates(Int)
    case replies(Int)
    /// The text of the status, from an app in service.
    case statusText
    /// The texts of a maintenance that is over.
    case maintenanceTexts(end: Moment)

    // What is not.
    case redirects([String])
    /// The limits that the other app does not have, by the names of their settings.
    case unlimited([String])
    case fakeProviders([Provider])
    case archivedTemplates(Int)
    /// The status of an app that is not in service, and its text.
    case status(LaunchingStatus)
    /// A maintenance that is planned, or goes on.
    case maintenance(end: Moment)
    case clientRules(Int)
    case testDevices(Int)
    case alertReceivers(Int)
    case legacySources(Int)

    package var isCopied: Bool {
        switch self {
        case .language, .accountPolicy, .limits, .provider, .banTemplates, .replies, .statusText, .maintenanceTexts:
            true
        case .redirects, .unlimited, .fakeProviders, .archivedTemplates, .status, .maintenance, .clientRules,
            .testDevices, .alertReceivers, .legacySources:
            false
        }
    }
}
