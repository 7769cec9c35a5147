import GatehouseStorage
import GatehouseWire

/// Lists an app's replies, in the order in which they were added.
package struct ListReplies: Report {
    package init() {}

    func read(_ view: Viewpoint, in tx: Reader) throws -> [Reply] {
        try ReplyQueries.replies(of: view.app.id, in: tx)
    }
}
