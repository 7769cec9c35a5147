import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension PageRequest {
    /// What players get now, and what an operator can change about it.
    func launchingPage() async throws -> Response {
        let app = try app()
        let window = app.maintenance.flatMap { $0.end > moment ? $0 : nil }
        var page = Page(words("nav.launching"), section: "launching")
        page.actions = launchingActions(window)
        page.result = try await resultLine()
        let status = try await statusCard(app)
        let past = try await run(.pastMaintenance)
        let readings = try await readings(app, window)
        let preview = try await preview(app, window)
        let rules = clientRuleCard(app)
        let matrix = clientRuleMatrix(app.clientRules)
        let history = try await history(of: Self.launchingActions, targets: [.app, .clientRules])
        return show(page) {
            div(.class("pair")) {
                status
                card("launching.maintenance", id: "maintenance") { maintenance(window, past) }
            }
            card("launching.everybody", id: "players") { readings }
            rules
            if let matrix { matrix }
            card("launching.preview", id: "preview") {
                preview
            }
            if let history { history }
        }
    }

    private static let launchingActions: [any OperatorAction.Type] = [
        SetStatus.self, TerminateService.self, PlanMaintenance.self, ChangeMaintenance.self, EndMaintenance.self,
        AddClientRule.self, ChangeClientRule.self, RemoveClientRule.self, MoveClientRule.self,
    ]

    private func launchingActions(_ window: App.MaintenanceWindow?) -> [Link] {
        let next =
            if let window {
                window.begin <= moment
                    ? offer(EndMaintenance.self, style: "primary")
                    : offer(EndMaintenance.self, text: words("maintenance.cancel"))
            } else {
                offer(PlanMaintenance.self, style: "primary")
            }
        return [offer(SetStatus.self), next].compactMap { $0 }
    }

    // MARK: Now

    private func statusCard(_ app: App) async throws -> SectionCard {
        let now = try await run(PreviewLaunching(languages: [words.language])).information
        let devices = try await run(ListTestDevices()).count
        var card = SectionCard(words("launching.now"))
        card.verdict = statusCell(now.status)
        card.facts = [
            Fact(words("launching.logins"), Cell(words(now.isPlayable ? "launching.open" : "launching.closed"))),
            Fact(words("launching.own-status"), Cell(statusText(app.status))),
            Fact(
                words("nav.test-devices"),
                Cell(words("launching.test-devices", ["count": Words.number(devices)]), link: address("test-devices"))),
            Fact(words("setting.defaultLanguage"), Cell(languageName(app.defaultLanguage))),
        ]
        card.actions = [
            app.status == .terminated ? nil : offer(TerminateService.self, style: "danger")
        ].compactMap { $0 }
        return card
    }

    /// How long something lasts, such as `2 hours`.
    func length(from begin: Moment, to end: Moment) -> String {
        let (length, overflow) = end.milliseconds.subtractingReportingOverflow(begin.milliseconds)
        return local.duration(seconds: overflow || length < 0 ? 0 : UInt64(length / 1_000))
    }

    // MARK: What players get

    func playerLanguages(_ app: App) -> [String] { app.playerLanguages(after: Words.languages) }

    func languageName(_ language: String) -> String { words.languageName(language) }

    /// What players read in each language, side by side: now, and in the maintenance that is planned.
    private func readings(_ app: App, _ window: App.MaintenanceWindow?) async throws -> HTML {
        let planned = window.flatMap { $0.begin > moment ? $0 : nil }
        var items: [HTML] = []
        for language in playerLanguages(app) {
            let now = try await run(PreviewLaunching(languages: [language]))
            let later =
                if let planned { try await run(PreviewLaunching(languages: [language], at: planned.begin)) } else {
                    nil as PreviewLaunching.Outcome?
                }
            items.append(
                li {
                    h3 { languageName(language) }
                    p { statusCell(now.information.status) }
                    reading(now.message, language)
                    if let later {
                        p(.class("small")) { words("launching.when-maintenance") }
                        reading(later.message, language)
                    }
                    if let window, !window.message.texts.isEmpty, !window.message.isWritten(in: language) {
                        p(.class("small")) { words("launching.no-own-text") }
                    }
                })
        }
        return ul(.class("cards readings")) { for item in items { item } }
    }

    @HTMLBuilder private func reading(_ text: String?, _ language: String) -> HTML {
        if let text {
            blockquote(.lang(language)) { Cell(text) }
        } else {
            p { "–" }
        }
    }

    /// What one phone gets, in full.
    private func preview(_ app: App, _ window: App.MaintenanceWindow?) async throws -> HTML {
        let language = query["language"].flatMap { LocalizedText.language($0) } ?? words.language
        let isTestDevice = query["device"] == "test"
        let isLater = query["when"] == "maintenance" && window != nil
        let outcome = try await run(
            PreviewLaunching(
                languages: [language], at: isLater ? window?.begin : nil, isTestDevice: isTestDevice,
                client: askedClient))
        var languages = playerLanguages(app)
        if !languages.contains(language) { languages.append(language) }
        var fields =
            [
                Field(
                    "language", words("launching.language"),
                    .choice(languages.map { Field.Option($0, languageName($0)) }), value: language),
                Field(
                    "device", words("launching.device"),
                    .choice([
                        Field.Option("", words("launching.device-any")),
                        Field.Option("test", words("launching.device-test")),
                    ]), value: isTestDevice ? "test" : ""),
            ] + clientFields + [zoneField]
        if let window, window.begin > moment {
            fields.append(
                Field(
                    "when", words("launching.when"),
                    .choice([
                        Field.Option("", words("launching.when-now")),
                        Field.Option("maintenance", words("launching.when-maintenance")),
                    ]), value: isLater ? "maintenance" : ""))
        }
        let json = try Self.json(outcome.information)
        return HTML([
            filters(fields, to: "\(request.uri.description)#preview", button: words("launching.show")),
            app.clientRules.isEmpty ? HTML() : p(.class("verdict")) { winner(outcome, app) },
            div(.class("preview")) {
                phone(outcome, language, of: app)
                details(.class("json"), .open(if: true)) {
                    summary { words("launching.json") }
                    pre(.tabindex(0)) { code { json } }
                }
            },
        ])
    }

    /// The picture of a phone with what its player reads.
    private func phone(_ outcome: PreviewLaunching.Outcome, _ language: String, of app: App) -> HTML {
        let (information, words) = (outcome.information, Words.of([language]))
        let isOpen = information.isPlayable
        return div(
            .class("phone"), .role("img"), .ariaLabel(self.words("launching.phone")), .lang(language)
        ) {
            p(.class("phone-name")) { bdi { app.name } }
            p(.class("phone-text")) { (isOpen ? information.message : outcome.message) ?? "" }
            if let times = phoneTimes(information, words) { p(.class("small")) { times } }
            if information.updateURL != nil || information.maintenance?.url != nil && !isOpen {
                p(.class("phone-link")) { words(information.updateURL == nil ? "phone.more" : "phone.update") }
            }
            p(.class("phone-state", isOpen ? "open" : nil)) { words(isOpen ? "phone.start" : "phone.closed") }
        }
    }

    /// The times of the maintenance as a player reads them in the zone that the address names.
    private func phoneTimes(_ information: LaunchingInformation, _ phone: Words) -> String? {
        guard !information.isPlayable, let maintenance = information.maintenance else { return nil }
        let times = LocalTime(zone: playerZone, now: moment, words: phone)
        let (begin, end) = (
            Moment(milliseconds: maintenance.beginDate), Moment(milliseconds: maintenance.endDate)
        )
        return "\(times.absolute(begin)) – \(times.absolute(end))"
    }

    /// Zones of many players, from the west to the east.
    private static let zones = [
        "America/Los_Angeles", "America/New_York", "UTC", "Europe/Berlin", "Asia/Bangkok", "Asia/Seoul", "Asia/Tokyo",
    ]

    private var playerZone: String {
        query["zone"].flatMap { Self.zones.contains($0) ? $0 : nil } ?? local.zone.name
    }

    private var zoneField: Field {
        let own = local.zone.name
        let others = Self.zones.contains(own) ? [] : [own]
        return Field(
            "zone", words("launching.zone"),
            .choice((others + Self.zones).map { Field.Option($0, $0.substituting("_", by: " ")) }), value: playerZone)
    }

    private static func json(_ information: LaunchingInformation) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(information), as: UTF8.self)
    }
}

// The maintenance windows on the page about the service status.
extension PageRequest {
    /// What is planned, what is now, and what is over, from the future to the past.
    @HTMLBuilder func maintenance(_ window: App.MaintenanceWindow?, _ past: [PastMaintenance]) -> HTML {
        if window == nil { p { words("launching.no-maintenance") } }
        if window == nil, !past.isEmpty, let link = planning(withTextsOf: past[0], text: "maintenance.with-last") {
            Buttons([link])
        }
        if window != nil || !past.isEmpty {
            ol(.class("windows")) {
                if let window { self.window(window) }
                for past in past.prefix(Self.shownWindows) { self.past(past, canPlan: window == nil) }
            }
        }
    }

    private static let shownWindows = 3

    private func window(_ window: App.MaintenanceWindow) -> HTML {
        let isRunning = window.begin <= moment
        return li(.class(isRunning ? "now" : nil)) {
            p {
                Cell(
                    words(isRunning ? "maintenance.running" : "maintenance.is-planned"),
                    badge: isRunning ? "warn" : "plain", note: length(from: window.begin, to: window.end))
            }
            Facts([
                Fact(words("setting.begin"), .time(window.begin, local)),
                Fact(words("setting.end"), .time(window.end, local)),
                Fact(words("setting.url"), Cell(window.url ?? "–")),
                Fact(words("setting.reason-word"), Cell(window.reason ?? "–")),
            ])
            Buttons(
                [
                    offer(ChangeMaintenance.self, ["lengthen": "30"], text: words("maintenance.lengthen")),
                    offer(ChangeMaintenance.self),
                ].compactMap { $0 })
        }
    }

    private func past(_ past: PastMaintenance, canPlan: Bool) -> HTML {
        let text = past.message.text(preferring: [words.language], fallback: place?.app.defaultLanguage ?? "en")
        return li(.class("past")) {
            p {
                Cell(words(past.isEndedEarly ? "maintenance.ended-early" : "maintenance.over"), badge: "plain")
                " "
                Cell.time(past.begin, local)
            }
            p(.class("small")) {
                Cell(length(from: past.begin, to: past.end))
                if let text {
                    " · "
                    bdi { text.count > 80 ? "\(text.prefix(79))…" : text }
                }
                if canPlan, let link = planning(withTextsOf: past, text: "maintenance.with-texts") {
                    " · "
                    link
                }
            }
        }
    }

    /// The form of a new window with the texts of one that is over.
    private func planning(withTextsOf past: PastMaintenance, text: String) -> Link? {
        offer(PlanMaintenance.self, ["past": String(past.begin.milliseconds)], text: words(text))
    }
}
