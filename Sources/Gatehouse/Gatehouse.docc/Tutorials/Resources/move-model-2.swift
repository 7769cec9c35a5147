import Foundation
import Gatehouse
import Observation

@MainActor @Observable
final class GameModel {
    private(set) var player: UserID?
    private(set) var notice: String?
    private(set) var transfer: String?
    private(set) var isBusy = false
    private let gatehouse: GatehouseClient

    init(serverURL: URL) {
        gatehouse = GatehouseClient(.init(appID: "devgame", serverURL: serverURL))
    }

    func play() async {
        isBusy = true
        defer { isBusy = false }
        do {
            player = try await logIn().member.userId
            notice = nil
        } catch {
            notice = text(for: error)
        }
    }

    /// What the player types on the new phone. It is shown once.
    func showTransfer() async {
        do {
            let account = try await gatehouse.issueTransferAccount()
            transfer = "\(account.id)  \(account.password?.secretValue ?? "")"
        } catch {
            notice = text(for: error)
        }
    }

    func redeem(id: String, password: String) async {
        isBusy = true
        defer { isBusy = false }
        do {
            try await gatehouse.start()
            try await gatehouse.redeemTransferAccount(
                id: id, password: TransferPassword(password))
            notice = nil
        } catch {
            notice = text(for: error)
        }
    }

    /// A session may also end by a ban, a kick-out, or on another device.
    func follow() async {
        for await state in gatehouse.states {
            switch state {
            case .signedIn(let member), .offline(let member): player = member.userId
            case .signedOut(.sessionEnded(let end)):
                (player, notice) = (nil, end.message ?? "You have been logged out.")
            case .signedOut: player = nil
            case .restoring, .locked: break
            }
        }
    }

    /// The player of the last time, or a new guest on a device without one.
    private func logIn() async throws(AuthError) -> Login {
        // The player has read why the session has ended, and presses again.
        if case .signedOut(.sessionEnded) = gatehouse.state {
            return try await gatehouse.logIn(with: gatehouse.lastProvider ?? .guest)
        }
        try await gatehouse.start()
        do {
            return try await gatehouse.logInWithLastProvider()
        } catch {
            // Nobody has played on this device.
            guard error.code == .authTokenLoginInvalidLastLoggedInIDP else { throw error }
            return try await gatehouse.logIn(with: .guest)
        }
    }

    private func text(for error: AuthError) -> String {
        if error.isNetworkError { return "No connection. Try again?" }
        if error.code == .authTokenLoginInvalidTokenInfo { return error.details.message ?? "You have been logged out." }
        return error.standing?.message ?? error.ban?.message ?? unexpected(error)
    }

    /// Support finds the call by the id.
    private func unexpected(_ error: AuthError) -> String {
        let id = error.transactionID?.rawValue ?? "-"
        return "It did not work (\(error.code.rawValue), id \(id))."
    }
}
