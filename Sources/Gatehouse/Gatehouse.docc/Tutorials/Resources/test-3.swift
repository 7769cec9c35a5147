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

    @Test("During a maintenance the player reads the operator's message")
    func maintenance() async {
        network.script(.maintenance(message: "Back at noon."), .notPlayable())
        #expect(
            await Entrance(gatehouse: .testing(network)).enter() == "Back at noon.")
    }

    @Test(
        "A lost network makes no new guest: the next attempt finds the same player")
    func lostNetwork() async {
        let storage = MemoryStorage()
        network.script(.launching(), .login())
        let first = await Entrance(gatehouse: .testing(network, storage: storage))
            .enter()

        // The game after a restart, with the same storage.
        let entrance = Entrance(gatehouse: .testing(network, storage: storage))
        network.script(.launching(), .noConnection())
        #expect(await entrance.enter() == "No connection. Try again?")
        network.script(.launching(), .login())
        #expect(await entrance.enter() == first)
    }
}
