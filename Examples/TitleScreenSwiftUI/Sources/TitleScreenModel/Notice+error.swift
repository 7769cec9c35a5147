import Foundation
import Gatehouse

extension Notice {
    /// What a failed call means for the player; nil if there is nothing to say.
    init?(_ error: AuthError) {
        switch error.code {
        // The player has closed the page, or has touched twice.
        case .authUserCanceled, .authAlreadyInProgress: return nil
        // The session has ended, and the client's state says why.
        case .authInvalidGatehouseToken: return nil
        case .socketError, .socketResponseTimeout: self.init(.noConnection, .noConnectionText, action: .tryAgain)
        case .bannedMember:
            guard let ban = error.ban else { return nil }
            self.init(ban)
        case .authNotPlayable: self.init(closed: error)
        case .authTokenLoginInvalidTokenInfo:
            self.init(.ended, .endedText, message: error.details.message, action: .startOver)
        case .authIDPLoginExternalAuthenticationRequired: self.init(.signInFirst, .signInFirstText)
        case .authAddMappingAlreadyHasSameIDP: self.init(.linkFailed, .alreadyLinked)
        case .authRemoveMappingLastMappedIDP, .authRemoveMappingLoggedInIDP: self.init(.unlinkFailed, .stillNeeded)
        case .authTransferAccountBlock:
            self.init(.transferFailed, .transferBlocked, until: error.transferBlock?.endsAt)
        case .authTransferAccountInvalidID, .authTransferAccountInvalidPassword:
            self.init(.transferFailed, .transferWrong)
        case .authTransferAccountExpired, .authTransferAccountAlreadyUsed: self.init(.transferFailed, .transferOver)
        case .notGuestOrHasOthers, .sameRequestor: self.init(.transferFailed, .transferNotHere)
        case .serverInternalError, .serverRemoteSystemError: self.init(.busy, .busyText, action: .tryAgain)
        default:
            self.init(.failed, .failedText, action: error.code.row?.mayRetry == true ? .tryAgain : nil)
            code = error.code.rawValue
            transaction = error.transactionID?.rawValue
        }
    }

    /// The game was closed after the title screen had asked.
    private init(closed error: AuthError) {
        let standing = error.standing
        let message = standing?.message
        switch standing?.reason {
        case .updateRequired?:
            let url = standing?.updateURL.flatMap { URL(string: $0) }
            self.init(.updateRequired, .updateRequiredText, message: message, action: url.map { .update($0) })
        case .terminated?: self.init(.terminated, .terminatedText, message: message)
        default:
            self.init(.maintenance, .maintenanceText, message: message, until: standing?.endsAt, action: .tryAgain)
        }
    }
}
