import GatehouseJSON
import GatehousePlatform
public import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// A step of a withdrawal, as exported beside the backups and repeated in a restored database. The lines of an export and the audit
/// lines of a log have the same form, so either can be repeated.
public struct Erasure: Sendable, Hashable {
    public enum Step: Sendable, Hashable {
        case withdrawn
        /// The member is withdrawn at the end, unless it cancels.
        case requested(end: Moment)
        case cancelled
    }

    public let app: AppID
    public let user: UserID
    public let step: Step
    public let moment: Moment

    public init(app: AppID, user: UserID, step: Step, moment: Moment) {
        self.app = app
        self.user = user
        self.step = step
        self.moment = moment
    }

    /// Why a line can't be used: it concerns something else, or is broken.
    public enum Unreadable: Error, Sendable, Hashable {
        case ofSomethingElse, broken
    }

    /// Parses a line of an export or of a log.
    ///
    /// - Throws: ``Unreadable/ofSomethingElse`` for any other line; ``Unreadable/broken`` if the line names a withdrawal but can't be
    ///   parsed, because it may concern a person.
    public init(line: String) throws(Unreadable) {
        let isNamed = Name.allCases.contains { line.has("\"\($0.rawValue)\"") }
        guard isNamed else { throw .ofSomethingElse }
        // A log collector may have added a prefix.
        let json = line.range(ofBytes: "{").map { line[$0.lowerBound...] } ?? ""
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(json.utf8)) else { throw .broken }
        guard let name = line.audit.flatMap(Name.init) else { throw .ofSomethingElse }
        guard let app = line.appId, let user = line.userId, let time = line.time else { throw .broken }
        self.app = AppID(app)
        self.user = UserID(user)
        moment = Moment(milliseconds: time.value)
        switch name {
        case .withdrawn: step = .withdrawn
        case .cancelled: step = .cancelled
        case .requested:
            guard let end = line.endDate?.value else { throw .broken }
            step = .requested(end: Moment(milliseconds: end))
        }
    }

    /// One line of JSON, in the form of the log's audit lines.
    public var line: String {
        get throws { try JSONText.sorted(Line(self)) }
    }

    private enum Name: String, CaseIterable {
        case withdrawn = "member.withdrawn"
        case requested = "withdrawal.requested"
        case cancelled = "withdrawal.cancelled"
    }

    private struct Line: Codable {
        let appId: String?
        let audit: String?
        let userId: String?
        let time: Milliseconds?
        let endDate: Milliseconds?

        init(_ erasure: Erasure) {
            appId = erasure.app.rawValue
            userId = erasure.user.rawValue
            time = Milliseconds(value: erasure.moment.milliseconds)
            switch erasure.step {
            case .withdrawn: (audit, endDate) = (Name.withdrawn.rawValue, nil)
            case .cancelled: (audit, endDate) = (Name.cancelled.rawValue, nil)
            case .requested(let end):
                (audit, endDate) = (Name.requested.rawValue, Milliseconds(value: end.milliseconds))
            }
        }
    }

    /// A time between 1970 and 2100, as a number, or as a text in the way logs write values.
    private struct Milliseconds: Codable {
        let value: Int64

        init(value: Int64) { self.value = value }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let number = try (try? container.decode(Int64.self)) ?? Int64(container.decode(String.self)) ?? -1
            guard (0...4_102_444_800_000).contains(number) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a time")
            }
            value = number
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
}

/// Reads a page of the steps of withdrawals in every app, in chronological order.
package struct ListErasures: ServerAction {
    /// Where the page begins.
    private let place: String

    /// The steps since a moment. Steps up to ten minutes older may be included.
    package init(since moment: Moment) {
        place = AuditRules.beginning(ofListSince: moment)
    }

    /// - Parameter place: where the previous page has ended.
    package init(after place: String) {
        self.place = place
    }

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> (erasures: [Erasure], next: String?) {
        try await services.database.report { tx in
            try ErasureRules.steps(after: place, limit: AuditRules.pageSize, in: tx)
        }
    }
}

/// Makes withdrawals survive the restore of an older copy: the ledger has every step of every withdrawal, and an exported step can be
/// repeated.
enum ErasureRules {
    /// A page of steps in chronological order, and where the next page begins; nil at the end.
    static func steps(
        after place: String, limit: Int, in tx: Reader
    ) throws -> (erasures: [Erasure], next: String?) {
        let entries = try LedgerQueries.withdrawals(after: place, limit: limit, in: tx)
        let erasures = entries.compactMap { app, entry -> Erasure? in
            let step: Erasure.Step
            switch entry.event {
            case .withdrawn: step = .withdrawn
            case .withdrawalCancelled: step = .cancelled
            case .withdrawalRequested:
                guard let end = entry.details["endDate"].flatMap({ Int64($0) }) else { return nil }
                step = .requested(end: Moment(milliseconds: end))
            default: return nil
            }
            return Erasure(app: app, user: entry.user, step: step, moment: Moment(milliseconds: entry.date))
        }
        return (erasures, entries.count < limit ? nil : entries.last?.entry.id)
    }

    /// Repeats a step, unless it was already carried out or a later one has replaced it.
    static func replay(_ erasure: Erasure, _ change: Change, in tx: Transaction) throws -> ErasureOutcome {
        // The member is used as the copy has it. A deadline that has passed since then is not carried out, because the player may have
        // cancelled.
        guard try MemberQueries.take(erasure.user, app: change.app.id, in: tx),
            let found = try MemberQueries.account(erasure.user, app: change.app.id, in: tx),
            found.status != .withdrawn
        else { return .nothingToDo }
        let account = try MemberRules.withHolds(found, in: tx)
        if erasure.step == .withdrawn {
            try WithdrawalRules.withdraw(account, change, in: tx)
            return .withdrawn
        }
        // A later decision of the player takes precedence.
        let last = try LedgerQueries.entries(of: erasure.user, app: change.app.id, in: tx).last {
            [.withdrawalRequested, .withdrawalCancelled].contains($0.event)
        }
        guard !account.isGone, last.map({ $0.date < erasure.moment.milliseconds }) ?? true else { return .nothingToDo }
        switch erasure.step {
        case .requested(let end):
            guard account.holds.withdrawsAt != end else { return .nothingToDo }
            _ = try WithdrawalRules.request(account, end: end, change, in: tx)
            return .willWithdraw
        case .cancelled:
            guard account.holds.withdrawsAt != nil else { return .nothingToDo }
            _ = try WithdrawalRules.cancel(account, change, in: tx)
            return .stays
        case .withdrawn: return .nothingToDo
        }
    }
}

/// The result of repeating a step.
package enum ErasureOutcome: Sendable, Hashable {
    case withdrawn, willWithdraw, stays
    /// The member has withdrawn or never existed, or the database has a later step.
    case nothingToDo
}

/// Repeats a step of a withdrawal that was exported from a newer copy of this database.
package struct ReplayErasure: Action {
    package static let permission = Permission.administer

    let erasure: Erasure

    package init(erasure: Erasure) {
        self.erasure = erasure
    }

    package func perform(_ work: Work) async throws -> ErasureOutcome {
        try await work.transact { change, tx in try ErasureRules.replay(erasure, change, in: tx) }
    }
}

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
