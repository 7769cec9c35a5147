import SwiftUI

struct NewPhoneView: View {
    @State var model: GameModel
    @State private var id = ""
    @State private var password = ""

    var body: some View {
        VStack(spacing: 12) {
            if let player = model.player {
                Text("Welcome back, \(player.rawValue)")
            } else {
                TextField("Id", text: $id).autocorrectionDisabled()
                SecureField("Password", text: $password)
                Button("Move here") {
                    Task { await model.redeem(id: id, password: password) }
                }
            }
            if let notice = model.notice { Text(notice) }
        }
        .padding()
        .disabled(model.isBusy)
        .task { await model.follow() }
    }
}
