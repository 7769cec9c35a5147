import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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
    static func state(of app: AppID, in tx: Reader) throws -> DeedState {
        DeedState(
            Dictionary(try AlertQueries.receivers(of: app, in: tx).map { ($0.id, $0.stateText) }) { first, _ in first })
    }

    static func add(
        _ notice: AlertNotice, to receiver: AlertReceiver, _ text: AlertText?, _ change: Change, in tx: Draft
    ) throws {
        let payload = AlertPayload(
            receiver: receiver.id, at: notice.moment.milliseconds, text: text,
            body: try text.map { try AlertBody.text(of: notice, $0) })
        try JobRules.add(.sendAlert, payload, change, in: tx)
    }
}
