import Foundation

/// Presses *Play* once, and prints who is in, or what the title screen says: `guest SERVER`.
@main struct Guest {
    @MainActor static func main() async {
        guard let server = CommandLine.arguments.last.flatMap(URL.init(string:)) else { return }
        let model = GameModel(serverURL: server)
        await model.play()
        print(model.player?.rawValue ?? model.notice ?? "nothing")
    }
}
