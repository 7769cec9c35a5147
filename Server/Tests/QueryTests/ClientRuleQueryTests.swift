import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `client_rules`.
@Suite struct ClientRuleQueryTests {
    /// A rule with a value in every column.
    private static func full(_ id: String) -> ClientRule {
        ClientRule(
            id: id, osCode: "IOS", storeCode: Tables.text, from: "1.9", below: Tables.text, status: .requireUpdate,
            updateURL: Tables.text, message: LocalizedText(["en": Tables.text, "ko": "업데이트"]))
    }

    @Test(
        "Rules come back with every column in the order of their positions, and belong to one app",
        arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let plain = ClientRule(id: "plain", status: .inTest)
            try ClientRuleQueries.set(Self.full("full"), at: 2, app: Tables.app, in: tx)
            try ClientRuleQueries.set(plain, at: 1, app: Tables.app, in: tx)
            try ClientRuleQueries.set(Self.full("plain"), at: 1, app: Tables.otherApp, in: tx)
            #expect(try ClientRuleQueries.rules(of: Tables.app, in: tx) == [plain, Self.full("full")])
            #expect(try AppQueries.app(Tables.app, in: tx)?.clientRules.map(\.id) == ["plain", "full"])

            try ClientRuleQueries.set(Self.full("plain"), at: 3, app: Tables.app, in: tx)
            #expect(try ClientRuleQueries.rules(of: Tables.app, in: tx) == [Self.full("full"), Self.full("plain")])
            #expect(try ClientRuleQueries.delete("plain", app: Tables.app, in: tx))
            #expect(try !ClientRuleQueries.delete("plain", app: Tables.app, in: tx))
            #expect(try ClientRuleQueries.rules(of: Tables.app, in: tx) == [Self.full("full")])
            #expect(try ClientRuleQueries.rules(of: Tables.otherApp, in: tx) == [Self.full("plain")])
        }
    }
}
