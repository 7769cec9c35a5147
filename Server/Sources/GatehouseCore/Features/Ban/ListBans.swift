import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// Lists the bans of all members of an app, page by page.
package struct ListBans: Report {
    package static let permission = Permission.serve(.moderate)

    let kind: Kind
    let page: Page

    package init(kind: Kind, page: Page) {
        self.kind = kind
        self.page = page
    }

    package enum Kind: Sendable {
        /// Bans that began in a period.
        case begun(Period)
        /// Releases in a period.
        case released(Period)
        /// Bans that are in effect now.
        case current
    }

    /// A ban with its template's name and its message to the player.
    package struct Row: Sendable {
        package let ban: BanRecord
        package let templateName: String?
        package let message: String?
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Paged<Row> {
        let bans =
            switch kind {
            case .begun(let period): try BanQueries.begun(in: period, page, app: view.app.id, in: tx)
            case .released(let period): try BanQueries.released(in: period, page, app: view.app.id, in: tx)
            case .current: try BanQueries.current(at: view.moment, page, app: view.app.id, in: tx)
            }
        let templates = Dictionary(
            uniqueKeysWithValues: try BanQueries.templates(of: view.app.id, in: tx).map { ($0.code, $0) })
        return bans.map { ban in
            let template = ban.templateCode.flatMap { templates[$0] }
            return Row(
                ban: ban, templateName: template?.name,
                message: view.text(ban.message) ?? view.text(template?.texts))
        }
    }
}
