import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Looks at the verdicts of each app that has a receiver, and at those of the server where somebody wants them, and tells what is new. Any
/// number of nodes may do so at the same time: what a receiver was told stands in the database.
package struct AlertWatcher: Sendable {
    package static let intervalSeconds: Int64 = 60

    private let services: Services

    package init(services: Services) {
        self.services = services
    }

    /// - Returns: the number of messages that were added.
    @discardableResult
    package func run() async throws -> Int {
        let wanted = try await services.database.report { tx in try AlertQueries.wanted(in: tx) }
        let server = wanted.contains { $0.kinds.contains(where: \.isOfServer) } ? try await serverVerdicts() : []
        var count = 0
        for (app, _) in wanted {
            try Task.checkCancellation()
            count += try await look(at: app, server)
        }
        return count
    }

    private func serverVerdicts() async throws -> [AppVerdict] {
        let moment = services.environment.now()
        return ServerVerdicts(try await ReadHealth().perform(services, by: .system, at: moment), at: moment).all
    }

    private func look(at id: AppID, _ server: [AppVerdict]) async throws -> Int {
        let moment = services.environment.now()
        let found = try await services.database.report { tx -> (App, [(AlertReceiver, AlertRules.News)])? in
            guard let app = try AppQueries.app(id, in: tx) else { return nil }
            let receivers = try AlertQueries.receivers(of: id, in: tx).filter { receiver in
                receiver.wish.isOn && receiver.wish.quiet?.contains(moment, in: app.zone) != true
            }
            guard !receivers.isEmpty else { return nil }
            let view = Viewpoint(app: app, moment: moment)
            let hours = NumberRange(last: 24, .hour, until: moment, in: app.zone)
            let verdicts =
                AppVerdicts(
                    app, try ReadStanding().read(view, in: tx), try ReadNumbers(range: hours).read(view, in: tx),
                    at: moment
                ).all + server
            let told = Dictionary(grouping: try AlertQueries.states(of: id, in: tx), by: \.receiver)
            return (
                app,
                receivers.flatMap { receiver in
                    AlertRules.news(for: receiver, verdicts, told: told[receiver.id] ?? [], at: moment)
                        .map { (receiver, $0) }
                }
            )
        }
        guard let (app, news) = found, !news.isEmpty else { return 0 }
        let write = services.writeAlert
        return try await services.work(in: app, at: moment).transact { change, tx in
            try news.count { try AlertRules.tell($0.1, to: $0.0, change, write: write, in: tx) }
        }
    }
}
