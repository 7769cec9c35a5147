import Foundation

/// The game's own texts, by their keys in `Localizable.xcstrings`, which has them in English, Korean and Japanese.
public enum Phrase: String, CaseIterable, Sendable {
    // The title screen.
    case touchToStart = "title.touch"
    case touchToContinue = "title.continue"
    case otherPhone = "title.otherPhone"
    case lastUsed = "title.lastUsed"
    case signInWithApple = "title.apple"
    case signInWithGameCenter = "title.gameCenter"
    case signInWithGoogle = "title.google"
    /// It has the provider's name.
    case signInWith = "title.provider"

    // The lobby and the account page.
    case play = "lobby.play"
    case account = "account.title"
    case accountID = "account.id"
    case guestWarning = "account.guestWarning"
    case offline = "account.offline"
    case linked = "account.linked"
    case link = "account.link"
    case unlink = "account.unlink"
    case newPhone = "account.newPhone"
    case newPhoneText = "account.newPhoneText"
    case logOut = "account.logOut"
    case logOutText = "account.logOutText"
    case delete = "account.delete"
    case deleteText = "account.deleteText"
    case deleteNow = "account.deleteNow"
    case deleteNowText = "account.deleteNowText"
    case keep = "account.keep"
    /// It has the date.
    case deletedAt = "account.deletedAt"

    // The transfer's two sheets.
    case transferID = "transfer.id"
    case transferPassword = "transfer.password"
    case transferHint = "transfer.hint"
    case transferHere = "transfer.here"
    case transferHereText = "transfer.hereText"

    // The conflict.
    case conflict = "conflict.title"
    /// It has the other account's id and the date on which it was played last.
    case conflictText = "conflict.text"
    case moveHere = "conflict.moveHere"
    case playOther = "conflict.playOther"

    // Notices.
    case maintenance = "notice.maintenance"
    case maintenanceText = "notice.maintenanceText"
    case updateRequired = "notice.updateRequired"
    case updateRequiredText = "notice.updateRequiredText"
    case updateRecommended = "notice.updateRecommended"
    case updateRecommendedText = "notice.updateRecommendedText"
    case terminated = "notice.terminated"
    case terminatedText = "notice.terminatedText"
    case news = "notice.news"
    case banned = "notice.banned"
    case bannedText = "notice.bannedText"
    case ended = "notice.ended"
    case endedText = "notice.endedText"
    case deleted = "notice.deleted"
    case deletedText = "notice.deletedText"
    case noConnection = "notice.noConnection"
    case noConnectionText = "notice.noConnectionText"
    case busy = "notice.busy"
    case busyText = "notice.busyText"
    case signInFirst = "notice.signInFirst"
    case signInFirstText = "notice.signInFirstText"
    case linkFailed = "notice.linkFailed"
    case alreadyLinked = "notice.alreadyLinked"
    case unlinkFailed = "notice.unlinkFailed"
    case stillNeeded = "notice.stillNeeded"
    case transferFailed = "notice.transferFailed"
    case transferWrong = "notice.transferWrong"
    case transferOver = "notice.transferOver"
    case transferBlocked = "notice.transferBlocked"
    case transferNotHere = "notice.transferNotHere"
    case failed = "notice.failed"
    case failedText = "notice.failedText"
    /// It has the date.
    case until = "notice.until"
    /// It has the error's code.
    case errorCode = "notice.code"
    /// It has the operator's contact.
    case contact = "notice.contact"

    // Buttons.
    case tryAgain = "button.tryAgain"
    case update = "button.update"
    case startOver = "button.startOver"
    case moreAbout = "button.more"
    case ok = "button.ok"
    case cancel = "button.cancel"
}

extension Phrase {
    /// Fills the blanks of a text, `%@` in their order or `%1$@` by their number. `String(format:)` takes no Swift strings on every
    /// system.
    public static func fill(_ text: String, _ arguments: [String]) -> String {
        var filled = text
        for (index, argument) in arguments.enumerated() {
            let numbered = "%\(index + 1)$@"
            guard let blank = filled.range(of: numbered) ?? filled.range(of: "%@") else { continue }
            filled.replaceSubrange(blank, with: argument)
        }
        return filled
    }
}
