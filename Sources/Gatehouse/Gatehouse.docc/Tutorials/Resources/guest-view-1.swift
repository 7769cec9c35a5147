import SwiftUI

struct TitleView: View {
    @State var model: GameModel

    var body: some View {
        VStack(spacing: 12) {
            if let player = model.player {
                Text("Welcome, \(player.rawValue)")
            } else {
                Button("Play") { Task { await model.play() } }
            }
        }
        .padding()
    }
}
