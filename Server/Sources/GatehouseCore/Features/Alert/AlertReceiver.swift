import GatehouseJSON
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

/// What a receiver wants to be told, when, and in which language.
package struct AlertWish: Sendable, Hashable {
    /// The verdicts of which somebody may be told: those that can be a warning, or worse.
    package static let kinds: [AppVerdict.Kind] = [
        .refused, .providerFails, .providersFail, .importMismatch, .closed, .maintenance, .deadJobs, .noKey,
        .oldSecrets, .atRisk,
    ]
    /// The same about the server, for receivers that an operator with a role on the server has added.
    package static let serverKinds: [AppVerdict.Kind] = [
        .slowDatabase, .fullDisk, .lateDeadlines, .lateJobs, .serverDeadJobs, .wrongClock, .lostNodes,
    ]
    package static let languages = ["en", "ko", "ja"]

    package var language = "en"
    package var verdicts = Set(kinds)
    /// Whether warnings are told, beside what is critical.
    package var includesWarnings = true
    package var quiet: QuietHours?
    package var isOn = true

    /// Whether something about the server is told.
    package var isOfServer: Bool { verdicts.contains(where: \.isOfServer) }

    func wants(_ verdict: AppVerdict) -> Bool {
        verdicts.contains(verdict.kind)
            && (verdict.state == .bad || includesWarnings && verdict.state == .warn)
    }
}

extension AlertWish {
    /// What is told, in a few words.
    package var summary: Phrase {
        Phrase(
            "alerts.summary",
            [
                "verdicts": .list(
                    told(Self.kinds, every: "alerts.every") + told(Self.serverKinds, every: "alerts.every-server")),
                "least": .phrase(Phrase("alerts.least.\(includesWarnings ? "warn" : "bad")")),
            ])
    }

    private func told(_ kinds: [AppVerdict.Kind], every all: Phrase) -> [Phrase] {
        let own = kinds.filter(verdicts.contains)
        return own.count == kinds.count ? [all] : own.map { Phrase("alerts.kind.\($0.rawValue)") }
    }

    /// When nothing is told.
    package var hours: Phrase {
        guard let quiet else { return "alerts.no-quiet" }
        return Phrase("alerts.quiet", ["from": .phrase(.hour(quiet.from)), "until": .phrase(.hour(quiet.until))])
    }
}

extension Phrase {
    static func hour(_ hour: Int) -> Phrase { .verbatim("\(hour < 10 ? "0" : "")\(hour):00") }
}

/// Hours of a day in which a receiver is told nothing. What still holds at their end is told then.
package struct QuietHours: Sendable, Hashable {
    /// From 0 to 23, in the app's zone. They may go over midnight.
    package let from: Int
    package let until: Int

    func contains(_ moment: Moment, in zone: AppZone) -> Bool {
        let hour = zone.hour(of: moment)
        return from <= until ? from <= hour && hour < until : from <= hour || hour < until
    }
}

/// Where a receiver is, and what proves to it who sends. It is stored sealed.
struct AlertAddress: Codable, Sendable, Hashable {
    var address: String
    /// The secret of a webhook's signatures, as its operator got it.
    var secret: String?
}

extension AlertAddress {
    static func open(_ sealed: [UInt8], of receiver: AlertReceiver, vault: KeyVault) throws -> AlertAddress {
        try StoredJSON.read(
            AlertAddress.self, from: vault.open(sealed, for: .alertAddress(receiver.id, in: receiver.app)))
    }

    func sealed(for receiver: AlertReceiver, vault: KeyVault) throws -> [UInt8] {
        try vault.seal(JSONWriter.bytes(of: self), for: .alertAddress(receiver.id, in: receiver.app))
    }
}
