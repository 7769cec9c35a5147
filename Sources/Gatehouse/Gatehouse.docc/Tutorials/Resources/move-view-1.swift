import SwiftUI

struct OldPhoneView: View {
    @State var model: GameModel

    var body: some View {
        VStack(spacing: 12) {
            if let transfer = model.transfer {
                Text("Type this on your new phone, and do not show it to anybody:")
                Text(transfer).textSelection(.enabled)
            } else {
                Button("Move to a new phone") {
                    Task { await model.showTransfer() }
                }
            }
            if let notice = model.notice { Text(notice) }
        }
        .padding()
    }
}
