public import GatehouseStorage
public import GatehouseWire

/// What was carried out again in a restored database.
public struct ErasureReplay: Sendable, Hashable {
    public var withdrawn: [UserID] = []
    /// Their withdrawal is pending again.
    public var pending: [UserID] = []
    /// They had cancelled, and stay.
    public var staying: [UserID] = []
    /// Steps that had been carried out already, or whose member the database doesn't hold.
    public var passedOver = 0
    /// What could not be carried out.
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
    /// A change has the moment at which its call came, and is kept some time later: so much before a moment is looked at, too.
    static let marginSeconds: Int64 = 600
    private static let pageSize = 500

    /// Hands over every step of a withdrawal since a moment, of every app, in the order of time, and some that are up to ten
    /// minutes older.
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

    /// Carries out again, in the order of time, what was exported from a database that this one is an older copy of. Each member
    /// has a transaction of its own: one that fails stops none of the others.
    ///
    /// - Parameter reason: for the ledger.
    public func replay(_ erasures: [Erasure], reason: String) async throws -> ErasureReplay {
        var replay = ErasureReplay()
        // Where a member has several steps the last one counts; a withdrawal has no step after it.
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
                // The database is away or broken: the rest would fail alike.
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
        let outcome = try await accounts.write(at: moment) { tx -> ErasureRules.Outcome in
            // An app that was made after the copy has no member in it.
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

    /// Hands over the records of the audit log since a moment, in the order of time, and some that are up to ten minutes older.
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

    /// Leaves in the audit log what an operator has done to the whole server.
    public func keepRecord(_ event: String) async throws {
        let moment = environment.now()
        let origin = Origin(actor: .operator, door: .command, name: operatorName)
        try await database.write { tx in
            try AuditRules.append(event, app: nil, by: origin, at: moment, random: environment.random, in: tx)
        }
    }
}
