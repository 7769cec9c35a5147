#if canImport(SwiftUI)
import Foundation
import Gatehouse
import SwiftUI
import TitleScreenModel

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// A night sky behind every screen.
struct Backdrop: View {
    var body: some View {
        LinearGradient(
            colors: [
                Color(red: 0.05, green: 0.06, blue: 0.20), Color(red: 0.22, green: 0.12, blue: 0.38),
                Color(red: 0.86, green: 0.45, blue: 0.42),
            ], startPoint: .top, endPoint: .bottom
        )
        .ignoresSafeArea()
        .accessibilityHidden(true)
    }
}

/// The game's name. A real game has its logo here.
struct Emblem: View {
    var body: some View {
        VStack(spacing: 8) {
            Image(systemName: "moon.stars.fill").font(.system(size: 64)).accessibilityHidden(true)
            Text(verbatim: "SEEDFALL").font(.system(size: 44, weight: .heavy, design: .rounded)).kerning(6)
        }
        .foregroundStyle(.white)
        .shadow(radius: 12)
    }
}

extension Text {
    /// A text of the game's own, in the player's language.
    init(phrase: Phrase) { self.init(LocalizedStringKey(phrase.rawValue), bundle: .module) }

    /// The same with its blanks filled in.
    init(phrase: Phrase, _ arguments: String...) {
        let text = Bundle.module.localizedString(forKey: phrase.rawValue, value: nil, table: nil)
        self.init(verbatim: Phrase.fill(text, arguments))
    }
}

extension Date {
    /// The day and the time in the player's own calendar and time zone.
    var forPlayers: String { formatted(date: .abbreviated, time: .shortened) }
}

extension PresentationAnchor {
    /// The window that the player looks at, which a provider's page comes up over.
    @MainActor static var inFront: PresentationAnchor? {
        #if canImport(UIKit)
        UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.flatMap(\.windows)
            .first { $0.isKeyWindow }
        #else
        NSApplication.shared.keyWindow
        #endif
    }
}
#endif
