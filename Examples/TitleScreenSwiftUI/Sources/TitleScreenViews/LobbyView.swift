#if canImport(SwiftUI)
import Foundation
import SwiftUI
import TitleScreenModel

struct LobbyView: View {
    let model: GameModel
    @State private var isShowingAccount = false

    var body: some View {
        VStack(spacing: 20) {
            HStack {
                Spacer()
                Button {
                    isShowingAccount = true
                } label: {
                    Label {
                        Text(phrase: .account)
                    } icon: {
                        Image(systemName: "person.crop.circle")
                    }
                }
                .buttonStyle(.plain)
                .foregroundStyle(.white)
            }
            Spacer()
            Emblem()
            if model.isOffline { Banner(symbol: "wifi.slash") { Text(phrase: .offline) } }
            if let deletion = model.account?.deletion {
                Banner(symbol: "hourglass") {
                    Text(phrase: .deletedAt, deletion.forPlayers)
                    Button {
                        Task { await model.keepAccount() }
                    } label: {
                        Text(phrase: .keep).bold()
                    }
                }
            }
            if let message = model.account?.message { Banner(symbol: "megaphone") { Text(verbatim: message) } }
            Spacer()
            // The game begins here.
            Button {
            } label: {
                Text(phrase: .play).font(.title3.weight(.bold)).frame(maxWidth: 260, minHeight: 52)
            }
            .buttonStyle(.borderedProminent)
        }
        .padding(24)
        .disabled(model.isBusy)
        .sheet(isPresented: $isShowingAccount) { AccountView(model: model) }
    }
}

struct Banner<Content: View>: View {
    let symbol: String
    @ViewBuilder let content: Content

    var body: some View {
        HStack(spacing: 10) {
            Image(systemName: symbol)
            VStack(alignment: .leading, spacing: 6) { content }
        }
        .font(.callout)
        .foregroundStyle(.white)
        .padding(14)
        .background(RoundedRectangle(cornerRadius: 14).fill(Color.black.opacity(0.35)))
    }
}
#endif
