import GatehouseWire
import Testing

@testable import GatehouseServerWire

@Suite struct GameServerEndpointTests {
    @Test("Every endpoint for game servers is listed once")
    func listed() {
        #expect(GameServerEndpoints.all.count == Mirror(reflecting: GameServerEndpoints.defined).children.count)
        #expect(GameServerEndpoints.all.first == AnyEndpoint(Endpoints.checkToken))
        #expect(GameServerEndpoints.all.last == AnyEndpoint(Endpoints.reportPayment))
        #expect(Set(AnyEndpoint.all.map(\.template)).count == Endpoints.all.count + GameServerEndpoints.all.count)
        #expect(GameServerEndpoints.all.allSatisfy { $0.template.hasPrefix("/v1/server/apps/{appId}/") })
    }

    @Test("An id stays one segment of its path")
    func path() {
        #expect(Endpoints.ban.path(app: AppID("../x")) == "/v1/server/apps/..%2Fx/bans")
    }

    @Test("Printing a secret key shows only its kind")
    func secrets() {
        var dumped = ""
        dump(SecretKey("canary"), to: &dumped)
        #expect("\(SecretKey("canary"))" == "<SecretKey>")
        #expect(!dumped.contains("canary"))
    }
}
