import Foundation
import Gatehouse
import Observation

@MainActor @Observable
final class GameModel {
    private let gatehouse: GatehouseClient

    init(serverURL: URL) {
        gatehouse = GatehouseClient(.init(appID: "devgame", serverURL: serverURL))
    }
}
