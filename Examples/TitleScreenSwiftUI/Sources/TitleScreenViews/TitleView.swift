#if canImport(SwiftUI)
import Gatehouse
import SwiftUI
import TitleScreenModel

struct TitleView: View {
    let model: GameModel
    @State private var isMovingHere = false
    @State private var isBright = false

    var body: some View {
        VStack(spacing: 16) {
            Spacer()
            Emblem()
            Spacer()
            Button {
                Task { await model.touch() }
            } label: {
                Text(phrase: model.lastProvider == nil ? .touchToStart : .touchToContinue)
                    .font(.title2.weight(.semibold))
                    .foregroundStyle(.white)
                    .padding()
                    .frame(maxWidth: .infinity)
                    .opacity(isBright ? 1 : 0.45)
            }
            .buttonStyle(.plain)
            .onAppear {
                withAnimation(.easeInOut(duration: 1.4).repeatForever(autoreverses: true)) { isBright = true }
            }
            VStack(spacing: 10) {
                ForEach(model.providers, id: \.rawValue) { provider in
                    ProviderButton(provider: provider, isLast: provider == model.lastProvider) {
                        await model.logIn(with: provider)
                    }
                }
                Button {
                    isMovingHere = true
                } label: {
                    Text(phrase: .otherPhone).font(.footnote)
                }
                .buttonStyle(.plain)
                .foregroundStyle(Color.white.opacity(0.8))
                .padding(.top, 6)
            }
            .frame(maxWidth: 340)
        }
        .padding(24)
        .disabled(model.isBusy)
        .sheet(isPresented: $isMovingHere) { MoveHereView(model: model) }
    }
}

struct ProviderButton: View {
    let provider: Provider
    let isLast: Bool
    let action: @MainActor () async -> Void

    var body: some View {
        Button {
            Task { await action() }
        } label: {
            HStack(spacing: 10) {
                Image(systemName: provider.symbol)
                provider.signInText
                if isLast {
                    Text(phrase: .lastUsed)
                        .font(.caption2)
                        .padding(.horizontal, 6)
                        .padding(.vertical, 2)
                        .background(Capsule().fill(Color.white.opacity(0.25)))
                }
            }
            .font(.body.weight(.medium))
            .foregroundStyle(provider == .apple ? Color.black : Color.white)
            .frame(maxWidth: .infinity, minHeight: 46)
            .background(
                RoundedRectangle(cornerRadius: 12).fill(provider == .apple ? Color.white : Color.white.opacity(0.16)))
        }
        .buttonStyle(.plain)
    }
}

extension Provider {
    var symbol: String {
        switch self {
        case .apple: "apple.logo"
        case .gameCenter: "gamecontroller.fill"
        default: "person.crop.circle"
        }
    }

    /// The name that players know it by.
    var displayName: String {
        switch self {
        case .apple: "Apple"
        case .gameCenter: "Game Center"
        default: rawValue.prefix(1).uppercased() + rawValue.dropFirst()
        }
    }

    @MainActor var signInText: Text {
        switch self {
        case .apple: Text(phrase: .signInWithApple)
        case .gameCenter: Text(phrase: .signInWithGameCenter)
        case .google: Text(phrase: .signInWithGoogle)
        default: Text(phrase: .signInWith, displayName)
        }
    }
}
#endif
