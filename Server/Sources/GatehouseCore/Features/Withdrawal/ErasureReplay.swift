package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// The result of repeating withdrawals in a restored database.
package struct ErasureReplay: Sendable, Hashable {
    package var withdrawn: [UserID] = []
    /// Members whose withdrawal is pending again.
    package var pending: [UserID] = []
    /// Members who had cancelled, and stay.
    package var staying: [UserID] = []
    /// The number of steps that were already carried out, or whose member is not in the database.
    package var passedOver = 0
    /// The steps that could not be carried out.
    package var failed: [Failure] = []

    package struct Failure: Sendable, Hashable {
        package let user: UserID
        package let reason: String
    }

    package init(passedOver: Int = 0) {
        self.passedOver = passedOver
    }
}

/// Repeats, in chronological order, the withdrawals exported from a newer copy of this database. Each member has a separate transaction,
/// so that one failure does not stop the others. The actor has a reason, for the ledger.
package struct ReplayErasures: ServerAction {
    let erasures: [Erasure]

    package init(_ erasures: [Erasure]) {
        self.erasures = erasures
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> ErasureReplay {
        var replay = ErasureReplay()
        for erasure in latest {
            do {
                switch try await repeated(erasure, services, by: actor) {
                case .withdrawn: replay.withdrawn.append(erasure.user)
                case .willWithdraw: replay.pending.append(erasure.user)
                case .stays: replay.staying.append(erasure.user)
                case .nothingToDo: replay.passedOver += 1
                }
            } catch let error as StorageError {
                // The database can't be reached or is broken, so the rest would fail too.
                throw error
            } catch {
                replay.failed.append(.init(user: erasure.user, reason: "\(error)"))
            }
        }
        return replay
    }

    /// If a member has several steps, the last one counts. No step follows a withdrawal.
    private var latest: [Erasure] {
        var latest: [AppID: [UserID: Erasure]] = [:]
        for erasure in erasures {
            let known = latest[erasure.app]?[erasure.user]
            if let known, known.step == .withdrawn || (known.moment > erasure.moment && erasure.step != .withdrawn) {
                continue
            }
            latest[erasure.app, default: [:]][erasure.user] = erasure
        }
        return latest.values.flatMap(\.values).sorted {
            ($0.moment, $0.user.rawValue) < ($1.moment, $1.user.rawValue)
        }
    }

    private func repeated(_ erasure: Erasure, _ services: Services, by actor: Actor) async throws -> ErasureOutcome {
        let actions = Actions(services: services)
        do {
            // A long file takes its time: each step has its own moment in the ledger.
            let context = try await actions.context(of: erasure.app, at: services.environment.now())
            return try await actions.run(ReplayErasure(erasure: erasure), by: actor, in: context)
        } catch let refusal as Refusal where refusal.code == .launchingUnregisteredApp {
            // An app that was created after the copy has no members in it.
            return .nothingToDo
        }
    }
}
