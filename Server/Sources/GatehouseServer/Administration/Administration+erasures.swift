public import GatehouseStorage
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
        var place: String? = AuditRules.beginning(at: moment.adding(seconds: -Self.marginSeconds))
        while let after = place {
            let page = try await database.read { tx in
                try ErasureRules.steps(after: after, limit: Self.pageSize, in: tx)
            }
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
                switch try await perform(erasure, reason: reason) {
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

    private func perform(_ erasure: Erasure, reason: String) async throws -> ErasureRules.Outcome {
        let moment = environment.now()
        let origin = Origin(actor: .operator, door: .command, name: operatorName, reason: reason)
        let outcome = try await accounts.transact(at: moment) { tx -> ErasureRules.Outcome in
            // An app that was created after the copy has no members in it.
            guard let app = try AppQueries.app(erasure.app, in: tx) else { return .nothingToDo }
            let change = Change(
                Viewpoint(app: app, moment: moment), by: origin, random: environment.random, vault: vault)
            return try ErasureRules.replay(erasure, change, in: tx)
        }
        let event: LedgerEvent? =
            switch outcome {
            case .withdrawn: .withdrawn
            case .willWithdraw: .withdrawalRequested
            case .stays: .withdrawalCancelled
            case .nothingToDo: nil
            }
        if let name = event?.auditEvent {
            var subject = ["userId": erasure.user.rawValue, "by": operatorName]
            if case .requested(let end) = erasure.step { subject["endDate"] = String(end.milliseconds) }
            audit.record(
                .init(
                    event: name, app: erasure.app, actor: .operator, address: nil, transactionID: nil,
                    subject: subject))
        }
        return outcome
    }

    /// Passes the records of the audit log since a moment, in chronological order. Records up to ten minutes older may be included.
    public func auditRecords(since moment: Moment, _ take: (AuditRecord) async throws -> Void) async throws {
        var place: String? = AuditRules.beginning(at: moment.adding(seconds: -Self.marginSeconds))
        while let after = place {
            let page = try await database.read { tx in
                try AuditRules.records(after: after, limit: Self.pageSize, in: tx)
            }
            for record in page { try await take(record) }
            place = page.count < Self.pageSize ? nil : page.last?.id
        }
    }

    /// Records in the audit log what an operator has done to the whole server.
    public func keepRecord(_ event: String) async throws {
        let moment = environment.now()
        let origin = Origin(actor: .operator, door: .command, name: operatorName)
        try await database.transact { tx in
            try AuditRules.append(event, app: nil, by: origin, at: moment, random: environment.random, in: tx)
        }
    }
}
