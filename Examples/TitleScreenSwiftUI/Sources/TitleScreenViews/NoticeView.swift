#if canImport(SwiftUI)
import Foundation
import SwiftUI
import TitleScreenModel

/// A card over everything else: a maintenance, a ban, an error.
struct NoticeView: View {
    let notice: Notice
    let model: GameModel
    @Environment(\.openURL) private var openURL

    var body: some View {
        VStack(spacing: 14) {
            Text(phrase: notice.title).font(.title3.bold())
            if let message = notice.message { Text(verbatim: message) }
            if let explanation = notice.explanation { Text(phrase: explanation) }
            if let until = notice.until { Text(phrase: .until, until.forPlayers).font(.callout.weight(.semibold)) }
            if let contact = notice.contact { Text(phrase: .contact, contact).font(.callout) }
            if let link = notice.link { Link(destination: link) { Text(phrase: .moreAbout) } }
            if let code = notice.code {
                Text(phrase: .errorCode, [String(code), notice.transaction].compactMap { $0 }.joined(separator: " · "))
                    .font(.caption).foregroundStyle(.secondary)
            }
            HStack(spacing: 12) {
                Button {
                    model.closeNotice()
                } label: {
                    Text(phrase: .ok).frame(maxWidth: .infinity)
                }
                .buttonStyle(.bordered)
                if let action = notice.action {
                    Button {
                        perform(action)
                    } label: {
                        Text(phrase: action.name).frame(maxWidth: .infinity)
                    }
                    .buttonStyle(.borderedProminent)
                }
            }
            .padding(.top, 6)
        }
        .multilineTextAlignment(.center)
        .padding(24)
        .frame(maxWidth: 360)
        .background(RoundedRectangle(cornerRadius: 20).fill(.background))
        .shadow(radius: 24)
        .padding(24)
        .accessibilityElement(children: .contain)
        .accessibilityAddTraits(.isModal)
    }

    private func perform(_ action: Notice.Action) {
        switch action {
        case .tryAgain, .startOver: Task { await model.tryAgain() }
        case .update(let url): openURL(url)
        }
    }
}

extension Notice.Action {
    var name: Phrase {
        switch self {
        case .tryAgain: .tryAgain
        case .startOver: .startOver
        case .update: .update
        }
    }
}

extension View {
    /// Shows the model's notice in front. A sheet covers the screen below it, so each shows notices itself.
    func showingNotices(of model: GameModel) -> some View {
        overlay {
            if let notice = model.notice {
                ZStack {
                    Color.black.opacity(0.45).ignoresSafeArea()
                    NoticeView(notice: notice, model: model)
                }
            }
        }
    }
}
#endif
