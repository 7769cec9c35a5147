import Gatehouse
import GatehouseTesting
import Testing

@testable import MyGame

@Suite struct EntranceTests {
    private let network = ScriptedTransport()

    @Test("A new player is in after one touch")
    func newPlayer() async {
        network.script(.launching(), .login(userID: "1M8S4CTH3C9FX6Z1"))
        let entrance = Entrance(gatehouse: .testing(network))
        #expect(await entrance.enter() == "Welcome, 1M8S4CTH3C9FX6Z1")
    }
}
