import GatehouseCore
import GatehouseSecurity
import Hummingbird

/// Jobs, health, audit and operators.
extension Console {
    static func addServerPages(to pages: Pages) {
        pages.server("/jobs", as: .viewer) { visit in try await visit.jobList() }
        pages.health("/health") { visit, isGone in try await visit.healthPage(isGone) }
        pages.health("/health/text") { visit, isGone in try await visit.healthText(isGone) }
        pages.app("/audit", as: .support) { visit in try await visit.auditList() }
        pages.app("/audit.csv", as: .support) { visit in try await visit.auditFile() }
        pages.server("/audit", as: .owner) { visit in try await visit.serverAuditList() }
        pages.server("/audit.csv", as: .owner) { visit in try await visit.auditFile() }
        pages.server("/operators", as: .owner) { visit in try await visit.operatorList() }
    }
}
