import Foundation
import Gatehouse
import GatehouseWire

extension TCGBGamebase {
    /// Issues an id and a password that move this guest to another device. It completes with 9 unless guest is the member's only
    /// identity, and with 3045 while the app has no transfer policy.
    public static func issueTransferAccount(completion: TransferAccountCompletion?) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            TCGBTransferAccountInfo(try await gatehouse.issueTransferAccount())
        }
    }

    /// Returns what was issued, without the password. It completes with 3046 when nothing was issued.
    public static func queryTransferAccount(completion: TransferAccountCompletion?) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            TCGBTransferAccountInfo(try await gatehouse.queryTransferAccount())
        }
    }

    /// Renews the password, or both. It completes with 3 when the player's choice does not satisfy the app's policy, and with 3047 when
    /// the id is in use.
    public static func renewTransferAccount(
        configuration: TCGBTransferAccountRenewConfiguration, completion: TransferAccountCompletion?
    ) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            TCGBTransferAccountInfo(try await gatehouse.renewTransferAccount(configuration.renewal))
        }
    }

    /// The same as ``renewTransferAccount(configuration:completion:)``.
    @nonobjc public static func renewTransferAccount(
        with configuration: TCGBTransferAccountRenewConfiguration, completion: TransferAccountCompletion?
    ) { renewTransferAccount(configuration: configuration, completion: completion) }

    /// Moves the guest of a transfer account to this device, and logs it in.
    ///
    /// It completes with 3043 for an unknown id, 3044 for a wrong password, 3041 when it has expired, 3048 when it was used, 8 on the
    /// device that issued it, and 3042 after too many wrong ids or passwords, with a ``TCGBTransferAccountFailInfo``.
    public static func transferAccountWithIdPLogin(
        accountId: String, accountPassword: String, completion: LoginCompletion?
    ) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            TCGBAuthToken(
                try await gatehouse.redeemTransferAccount(id: accountId, password: TransferPassword(accountPassword)))
        }
    }

    /// The same as ``transferAccountWithIdPLogin(accountId:accountPassword:completion:)``.
    @nonobjc public static func transferAccountWithIdPLogin(
        withAccountId accountId: String, accountPassword: String, completion: LoginCompletion?
    ) { transferAccountWithIdPLogin(accountId: accountId, accountPassword: accountPassword, completion: completion) }

    // MARK: SDK 1.x

    /// Issues a key of eight letters that moves this guest to another device. It needs no policy of the app. It completes with 3045
    /// where the operator has disabled keys.
    ///
    /// - Parameter expiresIn: how long it is valid, in seconds.
    /// - Parameter completion: receives the key.
    @available(*, deprecated, renamed: "issueTransferAccount(completion:)")
    public static func issueTransferKey(expiresIn: Int, completion: TransferKeyCompletion?) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            TCGBTransferKeyInfo(JSONObject(.init(try await gatehouse.issueTransferKey(validFor: .seconds(expiresIn)))))
        }
    }

    /// The same as ``issueTransferKey(expiresIn:completion:)``.
    @available(*, deprecated, renamed: "issueTransferAccount(completion:)")
    @nonobjc public static func issueTransferKey(withExpiresIn expiresIn: Int, completion: TransferKeyCompletion?) {
        issueTransferKey(expiresIn: expiresIn, completion: completion)
    }

    /// Moves the guest of a transfer key to this device, and logs it in. It completes with 3031 when the key has expired, 3032 when it
    /// was already used, and 3033 when it is unknown.
    @available(*, deprecated, renamed: "transferAccountWithIdPLogin(accountId:accountPassword:completion:)")
    public static func requestTransfer(transferKey: String, completion: LoginCompletion?) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            TCGBAuthToken(try await gatehouse.redeemTransferKey(TransferKeySecret(transferKey)))
        }
    }

    /// The same as ``requestTransfer(transferKey:completion:)``.
    @available(*, deprecated, renamed: "transferAccountWithIdPLogin(accountId:accountPassword:completion:)")
    @nonobjc public static func requestTransfer(withTransferKey transferKey: String, completion: LoginCompletion?) {
        requestTransfer(transferKey: transferKey, completion: completion)
    }
}
