import Foundation

/// The old phone, `phone SERVER`, prints its player and the pair to type on the new one, `phone SERVER ID PASSWORD`, which prints its player.
@main struct Phone {
    @MainActor static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let server = URL(string: arguments[1]) else { return }
        let model = GameModel(serverURL: server)
        if arguments.count > 3 { await model.redeem(id: arguments[2], password: arguments[3]) }
        await model.play()
        if arguments.count == 2 { await model.showTransfer() }
        print(model.player?.rawValue ?? "nobody", model.transfer ?? "", model.notice ?? "")
    }
}
