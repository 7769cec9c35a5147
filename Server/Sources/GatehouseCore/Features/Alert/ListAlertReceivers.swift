import GatehouseStorage
import GatehouseWire

/// Lists who is told of an app's verdicts, oldest first.
package struct ListAlertReceivers: Report {
    package static let role = OperatorRole.operator

    package init() {}

    func read(_ view: Viewpoint, in tx: Reader) throws -> [AlertReceiver] {
        try AlertQueries.receivers(of: view.app.id, in: tx)
    }
}
