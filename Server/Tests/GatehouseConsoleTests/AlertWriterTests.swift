import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseConsole
@testable import GatehouseCore

/// What receivers of alerts read.
@Suite struct AlertWriterTests {
    private static let moment = Moment(milliseconds: 1_795_219_200_000)
    private static let writer = AlertWriter(origin: "https://login.example.com")

    private func text(_ content: AlertNotice.Content, in language: String) -> AlertText {
        var app = App(
            id: AppID("game"), name: "Space Cats", status: .inService, statusMessage: LocalizedText(),
            defaultLanguage: "en", createdAt: Self.moment)
        app.policy.timeZone = "Asia/Seoul"
        return Self.writer.text(
            of: AlertNotice(app: app, content: content, moment: Self.moment, language: language))
    }

    @Test(
        "A message names the game, the verdict with its values, and the page with the people",
        arguments: AlertWish.languages)
    func begun(language: String) {
        let verdict = AppVerdict(
            .bad, .providerFails, ["idp": .providers([.google]), "percent": .text("40"), "tries": .number(1_200)],
            of: .google)
        let alert = text(.begun(verdict), in: language)
        #expect(alert.subject.hasPrefix("Space Cats: ") && alert.subject.contains("Google"), "\(alert)")
        #expect(alert.text.contains("40") && alert.text.contains("Google") && !alert.text.contains("{"), "\(alert)")
        #expect(
            alert.link
                == "https://login.example.com/console/apps/game/refusals?group=code&idp=google&range=2h")
        if language == "en" { #expect(alert.subject == "Space Cats: Critical: An identity provider fails: Google") }
    }

    @Test("The end says when it began, in the app's zone, and how long it lasted")
    func ended() {
        let alert = text(.ended(.refused, nil, begunAt: Self.moment.adding(seconds: -7_200)), in: "en")
        #expect(alert.subject == "Space Cats: Over: Many logins are refused")
        #expect(alert.text == "It began at 2026-11-21 07:00 KST and lasted 2 hours.", "\(alert.text)")
    }

    @Test("What is wrong with the server is told by its host, with the page of its health", arguments: Words.languages)
    func server(language: String) {
        let lost = Phrase(
            "health.lost-node", ["node": .text("node-2"), "ago": .distance(Self.moment.adding(seconds: -60))])
        let verdict = AppVerdict(
            .warn, .lostNodes, says: "health.lost-nodes", ["nodes": .list([lost]), "count": .number(1)])
        let begun = text(.begun(verdict), in: language)
        let ended = text(.ended(.lostNodes, nil, begunAt: Self.moment.adding(seconds: -600)), in: language)
        for alert in [begun, ended] {
            #expect(alert.subject.hasPrefix("login.example.com: ") && !alert.subject.contains("Space Cats"), "\(alert)")
            #expect(alert.link == "https://login.example.com/console/health")
        }
        #expect(begun.text.contains("node-2") && !begun.text.contains("{"), "\(begun)")
        if language == "en" { #expect(begun.text == "No longer seen: node-2 (last seen 1 minute ago).") }
    }

    @Test("Every verdict of which somebody is told has a name and a page, and no other", arguments: Words.languages)
    func kinds(language: String) {
        for kind in AppVerdict.Kind.allCases {
            let isNamed = Words.catalog(language)["alerts.kind.\(kind.rawValue)"] != nil
            #expect(isNamed == (AlertWish.kinds + AlertWish.serverKinds).contains(kind), "\(kind)")
            if isNamed { #expect(AppVerdict(.warn, kind).page != nil) }
        }
        #expect(AlertWish.serverKinds == AppVerdict.Kind.allCases.filter(\.isOfServer))
        for word in AlertOutcome.Word.allCases {
            #expect(Words.catalog(language)["alerts.outcome.\(word.rawValue)"] != nil, "\(word)")
        }
        #expect(Set(AlertWish.languages) == Set(Words.languages))
        let test = text(.test, in: language)
        #expect(test.link == "https://login.example.com/console/apps/game/alerts" && !test.text.isEmpty)
    }
}
