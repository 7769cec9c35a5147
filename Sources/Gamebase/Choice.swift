/// A question to the player with several buttons, as ``TCGBUtil`` asks it for a game.
@MainActor struct Choice {
    enum Form { case alert, actionSheet }

    struct Button {
        let title: String
        /// Whether the button declines, and is what counts where the player can press none.
        var isCancel = false
        /// Called with what UIKit says of the press.
        let press: @MainActor (UIAlertAction) -> Void
    }

    let form: Form
    let title: String?
    let message: String?
    let buttons: [Button]

    /// An alert with two buttons.
    static func alert(
        title: String?, message: String?, positive: (title: String, block: AlertBlock?),
        negative: (title: String, block: AlertBlock?)
    ) -> Choice {
        let (agree, decline) = (Unchecked(positive.block), Unchecked(negative.block))
        let (yes, no) = (positive.title, negative.title)
        return Choice(
            form: .alert, title: title, message: message,
            buttons: [
                Button(title: no, isCancel: true) { _ in decline.value?(no) },
                Button(title: yes) { _ in agree.value?(yes) },
            ])
    }

    /// An action sheet with a button for each block, in the order of their titles, because a dictionary has none, and one that cancels.
    static func actionSheet(
        title: String?, message: String?, blocks: [String: ActionSheetBlock], cancel: String
    ) -> Choice {
        let buttons = blocks.sorted { $0.key < $1.key }.map { title, block in
            let block = Unchecked(block)
            return Button(title: title) { block.value($0) }
        }
        return Choice(
            form: .actionSheet, title: title, message: message,
            buttons: buttons + [Button(title: cancel, isCancel: true) { _ in }])
    }

    /// Ends the question where nobody can answer it.
    func decline() {
        for button in buttons where button.isCancel { button.press(UIAlertAction()) }
    }
}
