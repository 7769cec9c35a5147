import Foundation
import Gatehouse
import GatehouseWire

extension TCGBGamebase {
    /// Withdraws the member at once, whether or not a withdrawal is pending. It can't be undone.
    public static func withdraw(viewController: UIViewController?, completion: WithdrawCompletion?) {
        Bridge<Empty>(completion).call { (gatehouse) async throws(AuthError) -> Void in
            try await client.events.expecting(.withdrawn) { () async throws(AuthError) in
                try await gatehouse.withdraw()
            }
            client.forgetBan()
        }
    }

    /// The same as ``withdraw(viewController:completion:)``.
    @nonobjc public static func withdraw(with viewController: UIViewController?, completion: WithdrawCompletion?) {
        withdraw(viewController: viewController, completion: completion)
    }

    /// The same as ``withdraw(viewController:completion:)``.
    public static func withdrawImmediately(viewController: UIViewController?, completion: WithdrawCompletion?) {
        withdraw(viewController: viewController, completion: completion)
    }

    /// The same as ``withdrawImmediately(viewController:completion:)``.
    @nonobjc public static func withdrawImmediately(
        with viewController: UIViewController?, completion: WithdrawCompletion?
    ) {
        withdraw(viewController: viewController, completion: completion)
    }

    /// Begins the grace period, after which the member is withdrawn automatically. It completes with 3602 when one is already pending.
    public static func requestTemporaryWithdrawal(
        viewController: UIViewController?, completion: TemporaryWithdrawCompletion?
    ) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            guard let pending = try await gatehouse.requestWithdrawal().temporaryWithdrawal else {
                throw AuthError(.serverInvalidResponse)
            }
            return TCGBTemporaryWithdrawalInfo(JSONObject(.init(gracePeriodDate: pending.gracePeriodDate)))
        }
    }

    /// The same as ``requestTemporaryWithdrawal(viewController:completion:)``.
    @nonobjc public static func requestTemporaryWithdrawal(
        with viewController: UIViewController?, completion: TemporaryWithdrawCompletion?
    ) { requestTemporaryWithdrawal(viewController: viewController, completion: completion) }

    /// Ends the grace period. It completes with 3603 when none is pending.
    public static func cancelTemporaryWithdrawal(viewController: UIViewController?, completion: WithdrawCompletion?) {
        Bridge<Empty>(completion).call { (gatehouse) async throws(AuthError) -> Void in
            try await gatehouse.cancelWithdrawal()
        }
    }

    /// The same as ``cancelTemporaryWithdrawal(viewController:completion:)``.
    @nonobjc public static func cancelTemporaryWithdrawal(
        with viewController: UIViewController?, completion: WithdrawCompletion?
    ) { cancelTemporaryWithdrawal(viewController: viewController, completion: completion) }
}
