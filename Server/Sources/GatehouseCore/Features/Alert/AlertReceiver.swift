package import GatehouseSecurity
package import GatehouseWire

/// Somebody who is told when a verdict about an app begins and ends.
package struct AlertReceiver: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A call with a signed JSON body, as of Standard Webhooks.
        case webhook
        /// The incoming webhook of a Slack channel.
        case slack
        case email
    }

    package let app: AppID
    package let id: String
    package let kind: Kind
    /// What operators see of its address: nothing that would let others send to it.
    package var hint: String
    package var wish: AlertWish
    /// The last delivery; nil before the first.
    package var last: Last?

    package struct Last: Sendable, Hashable {
        package let date: Moment
        package let outcome: AlertOutcome
    }
}

extension AlertReceiver {
    /// What of it operators' actions change, as the audit shows it.
    var stateText: String {
        let quiet = wish.quiet.map { "\($0.from)-\($0.until)" } ?? "–"
        let all = wish.verdicts.isSuperset(of: AlertWish.kinds)
        let named = wish.verdicts.filter { !all || $0.isOfServer }.map(\.rawValue).sorted()
        let verdicts = ((all ? ["all"] : []) + named).joined(separator: " ")
        return [
            kind.rawValue, hint, wish.language, wish.includesWarnings ? "warn" : "bad", verdicts, quiet,
            wish.isOn ? "on" : "off",
        ].joined(separator: ", ")
    }
}
