import Foundation
import Gatehouse
import Observation

@MainActor @Observable
final class GameModel {
    private(set) var player: UserID?
    private let gatehouse: GatehouseClient

    init(serverURL: URL) {
        gatehouse = GatehouseClient(.init(appID: "devgame", serverURL: serverURL))
    }

    func play() async {
        do {
            try await gatehouse.start()
            player = try await gatehouse.logIn(with: .guest).member.userId
        } catch {
            player = nil
        }
    }
}
