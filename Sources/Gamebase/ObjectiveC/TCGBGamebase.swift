public import Foundation

/// Receives the launching information, or the error of a start.
public typealias InitializeCompletion = ([String: Any]?, TCGBError?) -> Void
/// Receives the token and the member of a login or a mapping, or its error.
public typealias LoginCompletion = (TCGBAuthToken?, TCGBError?) -> Void
/// Receives the error of a logout; nil when it has succeeded.
public typealias LogoutCompletion = (TCGBError?) -> Void
/// Receives the error of a withdrawal; nil when it has succeeded.
public typealias WithdrawCompletion = (TCGBError?) -> Void
/// Receives the end of the grace period, or the error.
public typealias TemporaryWithdrawCompletion = (TCGBTemporaryWithdrawalInfo?, TCGBError?) -> Void
/// Receives the error of a removal; nil when it has succeeded.
public typealias RemoveMappingCompletion = (TCGBError?) -> Void
/// Receives a transfer account, or the error.
public typealias TransferAccountCompletion = (TCGBTransferAccountInfo?, TCGBError?) -> Void
/// Receives a transfer key, or the error.
public typealias TransferKeyCompletion = (TCGBTransferKeyInfo?, TCGBError?) -> Void

/// Gamebase's API over Gatehouse: a game that was written for Gamebase builds after changing the package.
///
/// Every method returns at once and may be called from any thread. A completion is called exactly once, on the main thread, even after
/// misuse, with the code that names the mistake. This class has no rules of its own: each method is a line or two over the actor
/// `GatehouseClient`.
#if canImport(ObjectiveC)
@objc(TCGBGamebase) @objcMembers
#endif
public final class TCGBGamebase: NSObject {}
