import GatehouseSecurity
package import GatehouseStorage

/// Sets all of an app's limits.
package struct SetLimits: OperatorAction {
    package static let about = OperatorActionAbout(
        "limits.set", role: .operator, step: .confirmed, section: "limits", subject: .app, undo: SetLimits.self)
    package static let inputs: [Input<Self>] =
        [.earlier(\.earlier)]
        + AppLimits.Setting.allCases.map { .number($0.rawValue, \.limits[$0], AppLimits.range, limit: 10) }

    /// The id of an earlier change that this one takes back.
    private var earlier: String?
    private var limits = AppLimits()

    package init(on target: DeedTarget) {}

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        limits = try view.earlier(earlier, in: tx)?.before?.limits ?? view.view.app.limits
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        var preview = Preview("limits.title", ["limits.what", "setting.within"], undo: "setting.undo")
        preview.table = try Preview.Table(
            from: view.view.app.limits.settings, to: limits.settings,
            at: AppLimits.Setting.newGuestsPerMinute.rawValue)
        return preview
    }

    package func perform(_ work: Work) async throws -> AppLimits {
        try await ChangeLimits { [limits] in $0 = limits }.perform(work)
    }
}

/// Changes an app's limits, and returns the new ones.
package struct ChangeLimits: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let change: @Sendable (inout AppLimits) -> Void

    package init(change: @escaping @Sendable (inout AppLimits) -> Void) {
        self.change = change
    }

    package var audited: AuditedRun? { AuditedRun(on: .app) }

    package func perform(_ work: Work) async throws -> AppLimits {
        try await work.changeApp(.limitsSet) { app, _ in change(&app.limits) }.limits
    }
}

extension AppLimits {
    /// The limits in words.
    package var settings: [SettingValue] {
        Setting.allCases.map { setting in
            SettingValue(setting.rawValue, self[setting] == 0 ? .phrase("limits.none") : .number(self[setting]))
        }
    }
}
