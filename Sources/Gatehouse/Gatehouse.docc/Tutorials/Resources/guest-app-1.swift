import SwiftUI

@main
struct GameApp: App {
    @State private var model = URL(string: "http://192.168.1.20:8080").map {
        GameModel(serverURL: $0)
    }

    var body: some Scene {
        WindowGroup {
            if let model { TitleView(model: model) }
        }
    }
}
