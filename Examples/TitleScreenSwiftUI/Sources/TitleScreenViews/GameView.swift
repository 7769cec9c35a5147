#if canImport(SwiftUI)
import Gatehouse
import SwiftUI
import TitleScreenModel

/// The whole game of this example: the title screen, the lobby, and what stands in front of them.
public struct GameView: View {
    @State private var model: GameModel

    public init(_ gatehouse: GatehouseClient) { self.init(model: GameModel(gatehouse)) }

    init(model: GameModel) { _model = State(initialValue: model) }

    public var body: some View {
        ZStack {
            Backdrop()
            switch model.screen {
            case .title: TitleView(model: model)
            case .lobby: LobbyView(model: model)
            }
            if model.isBusy { ProgressView().tint(.white) }
        }
        .animation(.easeInOut(duration: 0.3), value: model.screen)
        .showingNotices(of: model)
        .task {
            model.presentationAnchor = { PresentationAnchor.inFront }
            await model.start()
        }
        .task { await model.follow() }
    }
}
#endif
