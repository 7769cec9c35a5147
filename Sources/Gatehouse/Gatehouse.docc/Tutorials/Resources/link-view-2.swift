import Gatehouse
import SwiftUI

struct AccountView: View {
    @State var model: GameModel

    var body: some View {
        VStack(spacing: 12) {
            if let conflict = model.conflict {
                Text(
                    "You have played before, last on \(lastPlayed(conflict))."
                )
                Text("Which one do you keep?")
                Button("Keep this one") {
                    Task { await model.choose(.keepThisOne) }
                }
                Button("Play the other") {
                    Task { await model.choose(.playTheOther) }
                }
                Button("Not now") { Task { await model.choose(.notNow) } }
            } else if model.linked.contains(.google) {
                Text("Google is linked. You can play on every device.")
            } else {
                Button("Link Google") { Task { await model.linkGoogle() } }
            }
            if let notice = model.notice { Text(notice) }
        }
        .padding()
        .disabled(model.isBusy)
    }

    private func lastPlayed(_ conflict: ForcingMappingTicket) -> String {
        conflict.mappedMember.lastLoginAt.formatted()
    }
}
