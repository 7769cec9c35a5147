#if canImport(SwiftUI)
import Foundation
import SwiftUI
import TitleScreenModel

/// On the old phone: what the player types on the new one.
struct TransferView: View {
    let transfer: TransferCode

    var body: some View {
        VStack(spacing: 18) {
            Text(phrase: .newPhone).font(.title2.bold())
            value(.transferID, transfer.id)
            value(.transferPassword, transfer.password)
            Text(phrase: .transferHint).font(.footnote)
            if let expiry = transfer.expiry { Text(phrase: .until, expiry.forPlayers).font(.footnote) }
        }
        .multilineTextAlignment(.center)
        .padding(28)
        .presentationDetents([.medium])
    }

    private func value(_ name: Phrase, _ value: String) -> some View {
        VStack(spacing: 4) {
            Text(phrase: name).font(.caption).foregroundStyle(.secondary)
            Text(verbatim: value).font(.title2.monospaced()).textSelection(.enabled)
        }
    }
}

/// On the new phone: where the player types it.
struct MoveHereView: View {
    let model: GameModel
    @Environment(\.dismiss) private var dismiss
    @State private var id = ""
    @State private var password = ""

    var body: some View {
        NavigationStack {
            Form {
                Section {
                    TextField(text: $id) { Text(phrase: .transferID) }
                    TextField(text: $password) { Text(phrase: .transferPassword) }
                } footer: {
                    Text(phrase: .transferHereText)
                }
                .autocorrectionDisabled()
                Button {
                    Task { await model.moveHere(id: id, password: password) }
                } label: {
                    Text(phrase: .transferHere)
                }
                .disabled(id.isEmpty || password.isEmpty || model.isBusy)
            }
            .navigationTitle(Text(phrase: .otherPhone))
            .toolbar {
                ToolbarItem(placement: .cancellationAction) {
                    Button {
                        dismiss()
                    } label: {
                        Text(phrase: .cancel)
                    }
                }
            }
        }
        .showingNotices(of: model)
    }
}
#endif
