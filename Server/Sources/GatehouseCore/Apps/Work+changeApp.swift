import GatehouseSecurity
import GatehouseStorage

extension Work {
    /// Changes the app, and returns the new version. A change without effect is not recorded.
    @discardableResult
    func changeApp(
        _ event: AppEvent, _ body: @escaping @Sendable (inout App, Moment) throws -> Void
    ) async throws -> App {
        try await changeApp(as: { _, _ in event }, body)
    }

    /// - Parameter event: what it was that changed one app into the other.
    @discardableResult
    func changeApp(
        as event: @escaping @Sendable (_ before: App, _ after: App) -> AppEvent,
        _ body: @escaping @Sendable (inout App, Moment) throws -> Void
    ) async throws -> App {
        try await transact { change, tx in
            var before: App?
            let after = try AppRules.change(change.app.id, in: tx) { app in
                before = app
                try body(&app, change.moment)
            }
            if let before, after != before { try change.record(event(before, after), in: tx) }
            return after
        }
    }
}
