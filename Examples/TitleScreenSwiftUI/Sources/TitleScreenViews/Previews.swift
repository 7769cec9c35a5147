#if canImport(SwiftUI)
import Foundation
import Gatehouse
import SwiftUI
import TitleScreenModel

/// Every screen with what it can show, without a server.
struct GamePreviews: PreviewProvider {
    static var previews: some View {
        screen { _ in }.previewDisplayName("Title")
        screen { $0.notice = .sample(.maintenance) }.previewDisplayName("Maintenance")
        screen { $0.notice = .sample(.banned) }.previewDisplayName("Ban")
        screen { $0.account = .sample }.previewDisplayName("Lobby")
        screen { $0.account = .sampleBeingDeleted }
            .environment(\.locale, Locale(identifier: "ja")).previewDisplayName("Lobby, to be deleted")
        AccountView(model: model { $0.account = .sample })
            .environment(\.locale, Locale(identifier: "ko")).previewDisplayName("Account")
        AccountView(model: model { $0.account = .sampleBeingDeleted }).previewDisplayName("Account, to be deleted")
        TransferView(transfer: .sample).previewDisplayName("New phone")
        MoveHereView(model: model { _ in }).previewDisplayName("Move here")
    }

    private static func model(_ change: (inout GameModel.Sample) -> Void) -> GameModel {
        var sample = GameModel.Sample()
        change(&sample)
        return GameModel(sample: sample)
    }

    private static func screen(_ change: (inout GameModel.Sample) -> Void) -> some View {
        let model = model(change)
        return ZStack {
            Backdrop()
            if model.screen == .title { TitleView(model: model) } else { LobbyView(model: model) }
        }
        .showingNotices(of: model)
    }
}
#endif
