import Foundation
import Gatehouse

@MainActor var configuration = GatehouseClient.Configuration(
    appID: "mygame", serverURL: URL(fileURLWithPath: "/"))
