public import GatehouseCore
public import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// The result of repeating withdrawals in a restored database.
public struct ErasureReplay: Sendable, Hashable {
    public var withdrawn: [UserID] = []
    /// Members whose withdrawal is pending again.
    public var pending: [UserID] = []
    /// Members who had cancelled, and stay.
    public var staying: [UserID] = []
    /// The number of steps that were already carried out, or whose member is not in the database.
    public var passedOver = 0
    /// The steps that could not be carried out.
    public var failed: [Failure] = []

    public struct Failure: Sendable, Hashable {
        public let user: UserID
        public let reason: String
    }

    init(passedOver: Int = 0) {
        self.passedOver = passedOver
    }
}

extension Administration {
    /// A change has the time at which its call arrived, but is stored later. So changes this much older are included too.
    static let marginSeconds: Int64 = 600
    private static let pageSize = 500

    /// Passes every step of a withdrawal since a moment, in every app, in chronological order. Steps up to ten minutes older may be
    /// included.
    public func erasures(since moment: Moment, _ take: (Erasure) async throws -> Void) async throws {
        var place: String? = beginning(at: moment)
        while let after = place {
            let page = try await run(ListErasures(place: after, limit: Self.pageSize))
            for erasure in page.erasures { try await take(erasure) }
            place = page.next
        }
    }

    /// Repeats, in chronological order, the withdrawals exported from a newer copy of this database. Each member has a separate
    /// transaction, so that one failure does not stop the others.
    ///
    /// - Parameter reason: the reason for the ledger.
    public func replay(_ erasures: [Erasure], reason: String) async throws -> ErasureReplay {
        var replay = ErasureReplay()
        // If a member has several steps, the last one counts. No step follows a withdrawal.
        var latest: [AppID: [UserID: Erasure]] = [:]
        for erasure in erasures {
            let known = latest[erasure.app]?[erasure.user]
            if let known, known.step == .withdrawn || (known.moment > erasure.moment && erasure.step != .withdrawn) {
                continue
            }
            latest[erasure.app, default: [:]][erasure.user] = erasure
        }
        let steps = latest.values.flatMap(\.values).sorted {
            ($0.moment, $0.user.rawValue) < ($1.moment, $1.user.rawValue)
        }
        for erasure in steps {
            do {
                switch try await repeated(erasure, reason: reason) {
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

    /// Takes away again what was taken away since the copy of this database was made.
    package func replay(_ changes: [AccessChange]) async throws -> ReplayAccess.Outcome {
        try await run(ReplayAccess(changes))
    }

    /// Where a list since a moment begins, with changes that were stored later.
    private func beginning(at moment: Moment) -> String {
        TimeOrderedID.firstSession(at: moment.adding(seconds: -Self.marginSeconds)).rawValue
    }

    private func repeated(_ erasure: Erasure, reason: String) async throws -> ErasureOutcome {
        do {
            return try await run(ReplayErasure(erasure: erasure), on: erasure.app, reason: reason)
        } catch let refusal as Refusal where refusal.code == .launchingUnregisteredApp {
            // An app that was created after the copy has no members in it.
            return .nothingToDo
        }
    }

    /// Passes the records of the audit log since a moment, in chronological order. Records up to ten minutes older may be included.
    public func auditRecords(since moment: Moment, _ take: (AuditRecord) async throws -> Void) async throws {
        var place: String? = beginning(at: moment)
        while let after = place {
            let page = try await run(ListAuditRecords(place: after, limit: Self.pageSize))
            for record in page { try await take(record) }
            place = page.count < Self.pageSize ? nil : page.last?.id
        }
    }
}
