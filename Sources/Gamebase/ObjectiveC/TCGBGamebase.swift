public import Foundation

public typealias InitializeCompletion = ([String: Any]?, TCGBError?) -> Void
public typealias LoginCompletion = (TCGBAuthToken?, TCGBError?) -> Void
public typealias LogoutCompletion = (TCGBError?) -> Void
public typealias WithdrawCompletion = (TCGBError?) -> Void
public typealias TemporaryWithdrawCompletion = (TCGBTemporaryWithdrawalInfo?, TCGBError?) -> Void
public typealias RemoveMappingCompletion = (TCGBError?) -> Void
public typealias TransferAccountCompletion = (TCGBTransferAccountInfo?, TCGBError?) -> Void
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
