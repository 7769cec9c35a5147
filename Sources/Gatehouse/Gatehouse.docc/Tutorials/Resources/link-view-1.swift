import Gatehouse
import SwiftUI

struct AccountView: View {
    @State var model: GameModel

    var body: some View {
        VStack(spacing: 12) {
            if model.linked.contains(.google) {
                Text("Google is linked. You can play on every device.")
            } else {
                Button("Link Google") { Task { await model.linkGoogle() } }
            }
            if let notice = model.notice { Text(notice) }
        }
        .padding()
        .disabled(model.isBusy)
    }
}
