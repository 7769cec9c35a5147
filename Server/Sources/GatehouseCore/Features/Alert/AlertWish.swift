import GatehouseWire

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
