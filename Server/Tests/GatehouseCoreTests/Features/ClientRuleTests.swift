import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// Which status some clients get instead of the app's own.
@Suite struct ClientRuleTests {
    private static func client(_ version: String?, os: String? = "IOS", store: String? = "AS") -> ClientInformation {
        var client = ClientInformation()
        (client.osCode, client.storeCode, client.clientVersion) = (os, store, version)
        return client
    }

    private static func view(
        _ rules: [ClientRule], status: LaunchingStatus = .inService, isMaintained: Bool = false,
        _ client: ClientInformation?
    ) -> CallContext {
        let now = Moment(milliseconds: 1_000)
        let app = App(
            id: TestCore.app, name: "Game", status: status, statusMessage: LocalizedText(["en": "of the app"]),
            maintenance: isMaintained
                ? .init(begin: now, end: now.adding(seconds: 1), message: LocalizedText(["en": "of the maintenance"]))
                : nil,
            defaultLanguage: "en", clientRules: rules, createdAt: now)
        return CallContext(app: app, moment: now, clientHeader: client?.headerValue)
    }

    // MARK: Versions

    @Test(
        "Versions are compared number by number, whatever a client says",
        arguments: [
            ("1.9.9", "2.0.0"), ("1.9", "1.10"), ("1.9.9", "1.9.10"), ("0", "0.0.1"), ("2", "2.0.1"),
            ("1.9.9-beta.7", "2"), ("9", "99999999999999999999999999"),
            ("18446744073709551615", "18446744073709551616"),
            (" v1.2 (7)", "1.2.1"),
        ])
    func versions(earlier: String, later: String) throws {
        let (one, other) = (try #require(ClientVersion(earlier)), try #require(ClientVersion(later)))
        #expect(one < other && !(other < one) && one != other)
    }

    @Test(
        "Zeros in front and at the end do not count, nor does what follows the numbers",
        arguments: [("2", "2.0.0"), ("1.09", "1.9"), ("1.2-rc1", "1.2"), ("1.2.x", "1.2.0"), ("V3.", "3")])
    func equalVersions(one: String, other: String) throws {
        #expect(try #require(ClientVersion(one)) == #require(ClientVersion(other)))
    }

    @Test("A text without a number in front is no version", arguments: ["", "beta", ".1", "-1", "v", "１.２", "\u{0}1"])
    func noVersion(text: String) {
        #expect(ClientVersion(text) == nil)
        #expect(!ClientVersion.isVersion(text))
    }

    // MARK: Side by side

    @Test("The matrix has a row for each system and store, a column between each two bounds, and the rule that decides")
    func matrix() {
        let rules = [
            ClientRule(id: "a", osCode: "IOS", below: "1.5", status: .recommendUpdate),
            ClientRule(id: "b", below: "2.0", status: .requireUpdate),
            ClientRule(id: "c", osCode: "AOS", storeCode: "GG", from: "1.50", status: .inTest),
        ]
        let matrix = ClientRuleMatrix(of: rules)
        #expect(matrix.versions.map(\.from) == [nil, "1.5", "1.50", "2.0"])
        #expect(
            matrix.clients.map { "\($0.osCode ?? "-") \($0.storeCode ?? "-")" } == ["AOS GG", "AOS -", "IOS -", "- -"])
        #expect(matrix.rules == [[1, 1, 1, 2], [1, 1, 1, nil], [0, 1, 1, nil], [1, 1, 1, nil]])
        #expect(!matrix.isCut && ClientRuleMatrix(of: []).rules == [[nil]])
        let many = (0..<30).map { ClientRule(id: "\($0)", osCode: "S\($0)", from: "\($0)", status: .inTest) }
        let cut = ClientRuleMatrix(of: many)
        #expect(cut.isCut && cut.clients.count == 8 && cut.versions.count == 6 && cut.versions.last?.from == "29")
    }

    @Test("Rules for some of the same clients are named where the earlier one makes a difference")
    func overlaps() {
        func overlaps(_ rules: ClientRule...) -> [ClientRuleOverlap] { rules.overlaps }
        let old = ClientRule(osCode: "IOS", below: "1.5", status: .recommendUpdate)
        let all = ClientRule(below: "2.0", status: .requireUpdate)
        #expect(overlaps(old, all) == [ClientRuleOverlap(first: 0, second: 1, isWhole: false)])
        #expect(overlaps(all, old) == [ClientRuleOverlap(first: 0, second: 1, isWhole: true)])
        #expect(overlaps(old, ClientRule(below: "2.0", status: .recommendUpdate)).isEmpty)
        #expect(overlaps(old, ClientRule(osCode: "AOS", status: .inTest)).isEmpty)
    }

    // MARK: Matching

    @Test("A rule is for its system, its store and its versions, and what a client does not say matches no condition")
    func matching() {
        let rule = ClientRule(osCode: "IOS", storeCode: "AS", from: "1.2", below: "2", status: .requireUpdate)
        #expect(rule.matches(Self.client("1.2")) && rule.matches(Self.client("1.99.99", os: "ios", store: "as")))
        for other in [
            Self.client("1.1.9"), Self.client("2.0"), Self.client("2.0.0-beta"), Self.client("1.5", os: "AOS"),
            Self.client("1.5", store: "GG"), Self.client(nil), Self.client("x"), Self.client("1.5", os: nil),
            Self.client("1.5", store: nil), ClientInformation(),
        ] {
            #expect(!rule.matches(other), "\(other)")
        }
        #expect(ClientRule(osCode: "IOS", status: .inTest).matches(Self.client(nil)))
        #expect(rule.matches(rule.example))
        #expect(
            ClientRule(below: "0.0.1", status: .inTest).matches(ClientRule(below: "0.0.1", status: .inTest).example))
    }

    @Test("A rule that comes first can leave nothing to a later one")
    func covering() {
        let ios = ClientRule(osCode: "IOS", status: .inTest)
        let old = ClientRule(below: "2", status: .requireUpdate)
        #expect(ios.covers(ClientRule(osCode: "IOS", below: "2", status: .inBeta)))
        #expect(!ios.covers(old) && !old.covers(ios))
        #expect(old.covers(ClientRule(osCode: "AOS", from: "1", below: "1.5", status: .inTest)))
        #expect(!old.covers(ClientRule(from: "1", status: .inTest)))
    }

    @Test("A rule that comes first can decide for some clients of a later one")
    func overlapping() {
        let old = ClientRule(osCode: "IOS", below: "1.5", status: .recommendUpdate)
        #expect(old.overlaps(ClientRule(below: "2.0", status: .requireUpdate)))
        #expect(old.overlaps(ClientRule(storeCode: "AS", status: .inTest)))
        #expect(!old.overlaps(ClientRule(osCode: "AOS", below: "2.0", status: .requireUpdate)))
        #expect(!old.overlaps(ClientRule(from: "1.5", status: .requireUpdate)))
        #expect(!ClientRule(from: "2", status: .inTest).overlaps(ClientRule(below: "2", status: .inBeta)))
    }

    @Test("What a rule may not be is refused at its field")
    func problems() {
        func problems(_ change: (inout ClientRule) -> Void) -> [ClientRule.Problem] {
            var rule = ClientRule(osCode: "IOS", status: .inTest)
            change(&rule)
            return rule.problems
        }
        #expect(problems { $0.updateURL = "itms-apps://itunes.apple.com/app/id1" } == [])
        #expect(problems { $0.osCode = nil } == [.noCondition])
        #expect(problems { $0.osCode = "ios" } == [.os])
        #expect(problems { $0.storeCode = "A S" } == [.store])
        #expect(problems { $0.from = "1.x" } == [.from])
        #expect(problems { $0.below = "1..2" } == [.below])
        #expect(problems { ($0.from, $0.below) = ("2", "2.0") } == [.order])
        #expect(problems { $0.below = "0" } == [.order])
        #expect(problems { $0.status = .maintenance } == [.status])
        for address in ["", "example.com", "javascript://x", "https://", "https://a b", "file://etc/passwd"] {
            #expect(problems { $0.updateURL = address } == [.updateURL], "\(address)")
        }
        #expect(problems { $0.message = LocalizedText(["not a tag": "x"]) } == [.message])
    }

    // MARK: Precedence

    @Test("The first rule that matches decides, and without one the app's status does")
    func firstDecides() {
        let rules = [
            ClientRule(below: "2.0.0", status: .requireUpdate, updateURL: "https://example.com/get"),
            ClientRule(osCode: "IOS", status: .inReview, message: LocalizedText(["en": "of the rule"])),
        ]
        let old = Self.view(rules, Self.client("1.9.9"))
        #expect(LaunchingRules.statusForEveryone(old) == .requireUpdate)
        #expect(LaunchingRules.decidingRule(old)?.updateURL == "https://example.com/get")
        // A rule without a text does not take the app's, which is about another status.
        #expect(LaunchingRules.message(old) == nil)
        let new = Self.view(rules, Self.client("2.0.0"))
        #expect(LaunchingRules.statusForEveryone(new) == .inReview && LaunchingRules.message(new) == "of the rule")
        for client in [Self.client("2.0.0", os: "AOS"), nil] {
            let other = Self.view(rules, status: .recommendUpdate, client)
            #expect(LaunchingRules.statusForEveryone(other) == .recommendUpdate)
            #expect(LaunchingRules.message(other) == "of the app" && LaunchingRules.decidingRule(other) == nil)
        }
    }

    @Test(
        "Maintenance and the end of the service come before a rule that lets in, and after one that does not")
    func precedence() {
        let (opens, closes) = (
            ClientRule(osCode: "IOS", status: .inService), ClientRule(osCode: "IOS", status: .requireUpdate)
        )
        func status(_ rule: ClientRule, _ status: LaunchingStatus, _ isMaintained: Bool = false) -> LaunchingStatus {
            LaunchingRules.statusForEveryone(
                Self.view([rule], status: status, isMaintained: isMaintained, Self.client("1")))
        }
        #expect(status(opens, .requireUpdate) == .inService)
        #expect(status(opens, .inService, true) == .maintenance)
        #expect(status(opens, .requireUpdate, true) == .maintenance)
        #expect(status(opens, .maintenance) == .maintenance)
        #expect(status(opens, .maintenanceOfAllServices) == .maintenanceOfAllServices)
        #expect(status(opens, .terminated) == .terminated)
        #expect(status(closes, .inService, true) == .requireUpdate)
        #expect(status(closes, .maintenance) == .requireUpdate)
        #expect(status(closes, .terminated) == .terminated)
        let view = Self.view([opens], isMaintained: true, Self.client("1"))
        #expect(LaunchingRules.message(view) == "of the maintenance" && LaunchingRules.decidingRule(view) == nil)
    }

    // MARK: Actions

    @Test("Rules are added, changed, moved and removed at their places, and each change is one event")
    func actions() async throws {
        try await TestCore.open { core in
            let mia = core.operator()
            func order() async throws -> [String] {
                try await mia.run(ReadApp()).clientRules.map { "\($0.osCode ?? "-") \($0.status.rawValue)" }
            }
            let ios = try await mia.run(AddClientRule(ClientRule(osCode: "IOS", status: .requireUpdate)))
            let android = try await mia.run(AddClientRule(ClientRule(osCode: "AOS", status: .inTest)))
            _ = try await mia.run(AddClientRule(ClientRule(osCode: "WEB", status: .inBeta), at: 1))
            #expect(try await order() == ["WEB 205", "IOS 300", "AOS 203"])
            try await mia.run(MoveClientRule(id: android, to: 1))
            try await mia.run(MoveClientRule(id: ios, to: .max))
            #expect(try await order() == ["AOS 203", "WEB 205", "IOS 300"])
            var rule = try #require(try await mia.run(ReadApp()).clientRules.last)
            rule.status = .recommendUpdate
            try await mia.run(ChangeClientRule(rule))
            #expect(try await order() == ["AOS 203", "WEB 205", "IOS 201"])
            // What changes nothing is no event.
            try await mia.run(ChangeClientRule(rule, at: .max))
            try await mia.run(RemoveClientRule(id: android))
            #expect(try await order() == ["WEB 205", "IOS 201"])
            let events = core.callLog.events.filter { $0.hasPrefix("client-rule.") }.map { $0.dropFirst(12) }
            #expect(events == ["added", "added", "added", "moved", "changed", "removed"])

            #expect(await refusal { try await mia.run(RemoveClientRule(id: android)) }?.code == .invalidParameter)
            let nothing = ClientRule(status: .inService)
            #expect(await refusal { _ = try await mia.run(AddClientRule(nothing)) }?.code == .invalidParameter)
            #expect(try await order() == ["WEB 205", "IOS 201"])
        }
    }

    @Test("An operator is told about the client that a player has used last")
    func explanation() async throws {
        try await TestCore.open { core in
            let context = try await core.context()
            let view = CallContext(
                app: context.app, moment: core.clock.now, clientHeader: Self.client("1.9.9").headerValue,
                keys: context.keys)
            let login = try await core.actions.run(
                LogIn(credential: Credential(provider: .guest)), by: core.device("phone").caller.actor,
                in: view)
            _ = try await core.operator().run(AddClientRule(ClientRule(below: "2.0.0", status: .requireUpdate)))
            let end = core.clock.now.adding(seconds: 60)
            try await core.operator().run(PlanMaintenance(begin: nil, end: end, message: ["en": "Soon."], url: nil))
            let explained = try await core.operator().run(ExplainLogin(user: login.member.userId))
            #expect(explained.code == .authNotPlayable)
            // The rule stays when the maintenance ends, and the line names its clients.
            let line = try #require(explained.lines.first)
            #expect(line.subject == .app(.requireUpdate) && line.until == nil)
            let clients = Phrase("client-rules.versions-below", ["below": .text("2.0.0")])
            #expect(line.clients == clients)
            #expect(
                line.sentence
                    == Phrase("check.app-rule", ["status": .phrase("status.300"), "clients": .phrase(clients)]))
        }
    }
}
