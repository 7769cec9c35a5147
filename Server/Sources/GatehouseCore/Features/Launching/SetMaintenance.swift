package import GatehouseSecurity
import GatehouseWire

/// Sets an app's maintenance window, or removes it when `end` is nil.
package struct SetMaintenance: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// Nil for a window that begins now.
    let begin: Moment?
    let end: Moment?
    /// What players read, by language.
    let message: [String: String]
    let url: String?
    /// The reason as one word, for game servers.
    let reason: String?

    package init(begin: Moment?, end: Moment?, message: [String: String], url: String?, reason: String? = nil) {
        self.begin = begin
        self.end = end
        self.message = message
        self.url = url
        self.reason = reason
    }

    init(_ window: App.MaintenanceWindow) {
        self.init(
            begin: window.begin, end: window.end, message: window.message.texts, url: window.url, reason: window.reason)
    }

    package var audited: AuditedRun? { AuditedRun(on: .app) }

    package func perform(_ work: Work) async throws {
        let isThere = work.view.maintenance != nil
        let event = end == nil ? AppEvent.maintenanceEnded : isThere ? .maintenanceChanged : .maintenancePlanned
        try await work.changeApp(event) { app, moment in
            if let end, end <= moment {
                throw Refusal.parameter("end", "The end of the maintenance must lie ahead.")
            }
            app.maintenance = end.map {
                .init(begin: begin ?? moment, end: $0, message: LocalizedText(message), url: url, reason: reason)
            }
        }
    }
}
