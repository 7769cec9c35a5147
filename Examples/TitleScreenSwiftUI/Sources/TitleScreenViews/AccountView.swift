#if canImport(SwiftUI)
import Foundation
import Gatehouse
import SwiftUI
import TitleScreenModel

/// The account page: link, move to a new phone, log out, delete.
struct AccountView: View {
    @Bindable var model: GameModel
    @Environment(\.dismiss) private var dismiss
    @State private var isLoggingOut = false
    @State private var isDeleting = false
    @State private var isDeletingNow = false

    var body: some View {
        NavigationStack {
            Form {
                if let account = model.account {
                    identity(account)
                    links(account)
                    if account.isGuest { newPhone }
                    leaving(account)
                }
            }
            .disabled(model.isBusy)
            .navigationTitle(Text(phrase: .account))
            .toolbar {
                ToolbarItem(placement: .cancellationAction) {
                    Button {
                        dismiss()
                    } label: {
                        Text(phrase: .ok)
                    }
                }
            }
        }
        .askingAboutConflicts(of: model)
        .sheet(isPresented: $model.isShowingTransfer) {
            if let transfer = model.transfer { TransferView(transfer: transfer) }
        }
        .showingNotices(of: model)
    }

    private func identity(_ account: Account) -> some View {
        Section {
            LabeledContent {
                Text(verbatim: account.userID.rawValue).font(.callout.monospaced()).textSelection(.enabled)
            } label: {
                Text(phrase: .accountID)
            }
        } footer: {
            if account.isGuest { Text(phrase: .guestWarning) }
        }
    }

    private func links(_ account: Account) -> some View {
        Section {
            ForEach(account.linked, id: \.rawValue) { provider in
                row(provider, .unlink) { await model.unlink(provider) }
            }
            ForEach(account.linkable, id: \.rawValue) { provider in
                row(provider, .link) { await model.link(provider) }
            }
        } header: {
            Text(phrase: .linked)
        }
    }

    private func row(_ provider: Provider, _ phrase: Phrase, _ action: @escaping @MainActor () async -> Void)
        -> some View
    {
        HStack {
            Label {
                Text(verbatim: provider.displayName)
            } icon: {
                Image(systemName: provider.symbol)
            }
            Spacer()
            Button {
                Task { await action() }
            } label: {
                Text(phrase: phrase)
            }
        }
    }

    private var newPhone: some View {
        Section {
            Button {
                Task { await model.showTransfer() }
            } label: {
                Text(phrase: .newPhone)
            }
        } footer: {
            Text(phrase: .newPhoneText)
        }
    }

    private func leaving(_ account: Account) -> some View {
        Section {
            Button {
                isLoggingOut = true
            } label: {
                Text(phrase: .logOut)
            }
            .confirming(.logOut, .logOutText, isPresented: $isLoggingOut) { await model.logOut() }
            if account.deletion == nil {
                Button(role: .destructive) {
                    isDeleting = true
                } label: {
                    Text(phrase: .delete)
                }
                .confirming(.delete, .deleteText, isPresented: $isDeleting) { await model.deleteAccount() }
            } else {
                Button {
                    Task { await model.keepAccount() }
                } label: {
                    Text(phrase: .keep)
                }
                Button(role: .destructive) {
                    isDeletingNow = true
                } label: {
                    Text(phrase: .deleteNow)
                }
                .confirming(.deleteNow, .deleteNowText, isPresented: $isDeletingNow) { await model.deleteNow() }
            }
        } footer: {
            if let deletion = account.deletion { Text(phrase: .deletedAt, deletion.forPlayers) }
        }
    }
}

extension View {
    /// Asks before something that the player may not want.
    func confirming(
        _ title: Phrase, _ text: Phrase, isPresented: Binding<Bool>, _ action: @escaping @MainActor () async -> Void
    ) -> some View {
        confirmationDialog(Text(phrase: title), isPresented: isPresented, titleVisibility: .visible) {
            Button(role: .destructive) {
                Task { await action() }
            } label: {
                Text(phrase: title)
            }
            Button(role: .cancel) {
            } label: {
                Text(phrase: .cancel)
            }
        } message: {
            Text(phrase: text)
        }
    }

    /// Lets the player choose between two accounts.
    func askingAboutConflicts(of model: GameModel) -> some View {
        confirmationDialog(
            Text(phrase: .conflict), isPresented: Bindable(model).isAskingAboutConflict, titleVisibility: .visible,
            presenting: model.conflict
        ) { conflict in
            Button {
                Task { await model.resolve(conflict, .moveHere) }
            } label: {
                Text(phrase: .moveHere)
            }
            Button {
                Task { await model.resolve(conflict, .playOther) }
            } label: {
                Text(phrase: .playOther)
            }
            Button(role: .cancel) {
            } label: {
                Text(phrase: .cancel)
            }
        } message: { conflict in
            Text(phrase: .conflictText, conflict.otherUser.rawValue, conflict.lastPlayed.forPlayers)
        }
    }
}
#endif
