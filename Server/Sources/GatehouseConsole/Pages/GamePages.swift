import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// What the whole game feels: launching, maintenance, test devices, kick-out.
extension Console {
    static func addGame(to pages: Pages) {
        pages.app("/launching") { page in try await page.launchingPage() }
        pages.app("/test-devices") { page in try await page.testDevicePage() }
        pages.app("/kick-out", as: .operator) { page in try await page.kickOutPage() }
    }

}

extension PageRequest {
    // MARK: Test devices

    fileprivate func testDevicePage() async throws -> Response {
        let devices = try await run(ListTestDevices())
        var page = Page(words("nav.test-devices"), section: "test-devices")
        page.actions = [offer(AddTestDevice.self, style: "primary")].compactMap { $0 }
        page.result = try await resultLine()
        let table = Table(
            words("nav.test-devices"),
            [words("test-devices.device"), words("test-devices.note"), words("test-devices.added")],
            devices.map { device in
                TableRow(
                    [
                        .code(seesSubjects ? device.key.rawValue : "\(device.key.rawValue.prefix(4))…"),
                        Cell(device.note.isEmpty ? "–" : device.note), .time(device.addedAt, local),
                    ],
                    actions: [
                        offer(
                            RemoveTestDevice.self, ["device": device.key.rawValue],
                            text: words("test-devices.remove"))
                    ].compactMap { $0 })
            }, empty: words("test-devices.empty"))
        return showList(page, table, intro: words("test-devices.intro"))
    }

    // MARK: Kick-out

    fileprivate func kickOutPage() async throws -> Response {
        let live = try await run(.liveSessions)
        var page = Page(words("nav.kick-out"), section: "kick-out")
        page.result = try await resultLine()
        var card = SectionCard(
            words("kick-out.everyone"), lines: [words("kick-out.everyone-what"), words("kick-out.single")])
        card.verdict = Cell(text(.live(live)))
        card.actions = [offer(KickOutEveryone.self, style: "danger")].compactMap { $0 }
        return try await show(page, [card, history(of: [KickOutEveryone.self])])
    }

    // MARK: History

    /// What operators have changed by these actions, newest first, each with its undo; nil for a person who may not see the audit.
    func history(of actions: [any OperatorAction.Type], targets: [ActionTarget] = [.app]) async throws -> SectionCard? {
        guard role >= .support else { return nil }
        let names = Set(actions.map { $0.about.name })
        var records: [OperatorRecord] = []
        for target in targets {
            records += try await run(.operatorRecords(of: target, limit: 200)).filter { names.contains($0.action) }
                .prefix(10)
        }
        records = Array(records.sorted { $0.id > $1.id }.prefix(10))
        var card = SectionCard(words("setting.history"))
        card.table = Table(
            words("setting.history"),
            [words("timeline.when"), words("timeline.what"), words("timeline.who"), words("timeline.why")],
            records.map { record in
                TableRow(
                    [
                        .time(record.date, local), Cell(words("deed.\(record.action)")), Cell(record.personName),
                        Cell(record.givenReason),
                    ], actions: [undo(of: record)].compactMap { $0 })
            }, empty: words("setting.no-history"))
        return card
    }
}
