import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// What receivers are told of an app's verdicts, and when.
enum AlertRules {
    static let mostReceivers = 16
    /// How long a verdict must not hold before its end is told. Shares go up and down from one minute to the next.
    static let goneSeconds: Int64 = 300

    /// What differs between what holds and what a receiver was told.
    enum News: Sendable, Hashable {
        case begun(AppVerdict)
        case worse(AppVerdict, AlertState)
        /// It holds no longer, or again, of which nobody is told.
        case gone(AlertState)
        case back(AlertState)
        case ended(AlertState)
    }

    /// A receiver that somebody may change.
    ///
    /// - Throws: 5 if this person may not; a refusal of the parameter if there is no such receiver.
    static func receiver(_ id: String, for actor: Actor, _ change: Change, in tx: Reader) throws -> AlertReceiver {
        guard let receiver = try AlertQueries.receiver(id, of: change.app.id, in: tx) else {
            throw Refusal.noAlertReceiver
        }
        try actor.requireChange(of: receiver.wish)
        return receiver
    }

    /// - Parameters:
    ///   - verdicts: what holds.
    ///   - told: what the receiver was told.
    static func news(
        for receiver: AlertReceiver, _ verdicts: [AppVerdict], told: [AlertState], at moment: Moment
    ) -> [News] {
        let bad = verdicts.filter { $0.state == .warn || $0.state == .bad }
        let holding = Dictionary(bad.map { ($0.stored, $0) }) { first, _ in first }
        let known = Set(told.map(\.verdict))
        let begun = bad.filter { receiver.wish.wants($0) && !known.contains($0.stored) }.map(News.begun)
        return begun
            + told.compactMap { state in
                guard let verdict = holding[state.verdict] else {
                    guard let gone = state.goneAt else { return .gone(state) }
                    return gone.adding(seconds: goneSeconds) <= moment ? .ended(state) : nil
                }
                if verdict.state == .bad, !state.isBad { return .worse(verdict, state) }
                return state.goneAt == nil ? nil : .back(state)
            }
    }

    /// Stores what is new, and adds a job for each message, all at once: however many nodes have found it, one of them tells it.
    static func tell(
        _ news: News, to receiver: AlertReceiver, _ change: Change, write: (AlertNotice) -> AlertText,
        in tx: Transaction
    ) throws -> Bool {
        // It may have been removed, or switched off, meanwhile.
        guard try AlertQueries.receiver(receiver.id, of: change.app.id, in: tx)?.wish.isOn == true else { return false }
        let (app, moment) = (change.app.id, change.moment)
        let content: AlertNotice.Content
        switch news {
        case .begun(let verdict):
            let state = AlertState(
                receiver: receiver.id, verdict: verdict.stored, isBad: verdict.state == .bad, begunAt: moment)
            guard try AlertQueries.begin(state, of: app, in: tx) else { return false }
            content = .begun(verdict)
        case .worse(let verdict, let old):
            var state = old
            (state.isBad, state.goneAt) = (true, nil)
            guard try AlertQueries.change(old, to: state, of: app, in: tx) else { return false }
            content = .begun(verdict)
        case .gone(let old), .back(let old):
            var state = old
            state.goneAt = old.goneAt == nil ? moment : nil
            _ = try AlertQueries.change(old, to: state, of: app, in: tx)
            return false
        case .ended(let old):
            guard try AlertQueries.end(old, of: app, in: tx), let subject = old.subject,
                receiver.wish.verdicts.contains(subject.kind)
            else { return false }
            content = .ended(subject.kind, subject.provider, begunAt: old.begunAt)
        }
        let notice = AlertNotice(app: change.app, content: content, moment: moment, language: receiver.wish.language)
        try add(notice, to: receiver, write(notice), change, in: tx)
        return true
    }

    /// The state of an app's receivers, as the audit shows it.
    static func state(of app: AppID, in tx: Reader) throws -> TargetState {
        TargetState(
            Dictionary(try AlertQueries.receivers(of: app, in: tx).map { ($0.id, $0.stateText) }) { first, _ in first })
    }

    static func add(
        _ notice: AlertNotice, to receiver: AlertReceiver, _ text: AlertText?, _ change: Change, in tx: Draft
    ) throws {
        let message = SendAlert(
            receiver: receiver.id, at: notice.moment.milliseconds, text: text,
            body: try text.map { try AlertBody.text(of: notice, $0) })
        try JobRules.add(message, change, in: tx)
    }
}

/// What one message is about, without a language.
package struct AlertNotice: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A verdict has begun, or has become critical.
        case begun(AppVerdict)
        /// A verdict holds no longer.
        case ended(AppVerdict.Kind, Provider?, begunAt: Moment)
        /// An operator wants to see that messages arrive.
        case test
    }

    package let app: App
    package let content: Content
    package let moment: Moment
    package let language: String
}

extension Phrase.Value {
    /// A value as programs read it, without a language; nil for one that is told otherwise.
    var plain: String? {
        switch self {
        case .text(let text): text
        case .count(let number), .number(let number): String(number)
        case .moment(let moment): moment.text
        case .word(_, let other): other
        default: nil
        }
    }
}

extension Moment {
    /// `2026-12-01T03:00:00Z`.
    var text: String { Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601) }
}

/// A message as its reader gets it.
package struct AlertText: Codable, Sendable, Hashable {
    /// One line: the game, and what is the matter.
    package var subject: String
    package var text: String
    /// The address of the page about it; nil if there is none.
    package var link: String?

    package init(subject: String, text: String, link: String? = nil) {
        self.subject = subject
        self.text = text
        self.link = link
    }
}

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
            let context = CallContext(app: app, moment: moment)
            let hours = NumberRange(last: 24, .hour, until: moment, in: app.zone)
            let verdicts =
                AppVerdicts(
                    app, try AppStanding(context, in: tx), try Numbers(of: app.id, hours, in: tx),
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
